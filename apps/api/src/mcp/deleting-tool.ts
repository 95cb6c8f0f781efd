import { ID_PREFIXES } from '@gleaner/contracts';
import type { ToolText } from './tool-table.ts';

/** `delete`: what takes back a resource, by the prefix of its id. */
export const DELETING: Readonly<Record<string, string>> = {
  [ID_PREFIXES.parser]: 'deleteParser',
  [ID_PREFIXES.database]: 'deleteDatabase',
  [ID_PREFIXES.cron]: 'deleteCron',
  [ID_PREFIXES.workflow]: 'deleteWorkflow',
  [ID_PREFIXES.webhook]: 'deleteWebhook',
  [ID_PREFIXES.alert]: 'deleteAlert',
  [ID_PREFIXES.key]: 'deleteKey',
  [ID_PREFIXES.job]: 'cancelJob',
  [ID_PREFIXES.batch]: 'cancelBatch',
  [ID_PREFIXES.workflowRun]: 'cancelWorkflowRun',
};

/** `delete` with `results`: what removes the results of a run that has ended. */
export const DELETING_RESULTS: Readonly<Record<string, string>> = {
  [ID_PREFIXES.job]: 'deleteJob',
  [ID_PREFIXES.batch]: 'deleteBatch',
  [ID_PREFIXES.workflowRun]: 'deleteWorkflowRun',
};

export const DELETE: ToolText = {
  title: 'Delete by id',
  text: 'Deletes for good, by id, a parser, a database (a managed one with its rows), a cron, a workflow, a webhook, an alert or a key; stops a live job, batch or run; with results removes those of an ended one. With table deletes the rows that filter finds; without count says how many. Free.',
  isDestructive: true,
};
