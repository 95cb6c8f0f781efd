import type { Client } from '@gleaner/client';
import type { Operation } from '@gleaner/contracts';
import type { OperationName, OperationOf } from './operations.ts';

type Method = { [G in keyof Client]: readonly [G, keyof Client[G]] }[keyof Client];

type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? [Name, ...PathParams<Rest>]
  : [];
type Has<O, K extends string> = O extends { readonly [P in K]: object } ? [K] : [];
type Arguments<O extends Operation> = [...PathParams<O['path']>, ...Has<O, 'body'>, ...Has<O, 'query'>];

type MethodOf<N extends OperationName> = readonly [...Method, ...Arguments<OperationOf<N>>];

/**
 * The operations that the dashboard calls: the client's method and the order of its arguments. Arguments that differ
 * from the operation's description do not compile.
 */
export const METHODS = {
  listParsers: ['parsers', 'list', 'query'],
  createParser: ['parsers', 'create', 'body'],
  getParser: ['parsers', 'get', 'id'],
  updateParser: ['parsers', 'update', 'id', 'body'],
  deleteParser: ['parsers', 'delete', 'id'],
  listParserVersions: ['parsers', 'listVersions', 'id', 'query'],
  restoreParserVersion: ['parsers', 'restoreVersion', 'id', 'n', 'query'],
  compareParserVersions: ['parsers', 'compareVersions', 'id', 'body'],
  listParserSamples: ['parsers', 'listSamples', 'id'],
  createParserSample: ['parsers', 'createSample', 'id', 'body'],
  getParserSample: ['parsers', 'sample', 'id', 'sample'],
  updateParserSample: ['parsers', 'updateSample', 'id', 'sample', 'body'],
  deleteParserSample: ['parsers', 'deleteSample', 'id', 'sample'],
  previewParser: ['parsers', 'preview', 'body'],
  loadPageResources: ['parsers', 'loadPageResources', 'body'],
  getParserLanguage: ['schemas', 'parserLanguage'],
  listJobs: ['jobs', 'list', 'query'],
  createJob: ['jobs', 'create', 'body'],
  getJob: ['jobs', 'get', 'id'],
  cancelJob: ['jobs', 'cancel', 'id'],
  listBatches: ['batches', 'list', 'query'],
  createBatch: ['batches', 'create', 'body'],
  getBatch: ['batches', 'get', 'id'],
  getBatchResults: ['batches', 'results', 'id', 'query'],
  getBatchFailures: ['batches', 'failures', 'id', 'query'],
  cancelBatch: ['batches', 'cancel', 'id'],
  retryBatch: ['batches', 'retry', 'id', 'body'],
  listCrons: ['crons', 'list', 'query'],
  createCron: ['crons', 'create', 'body'],
  getCron: ['crons', 'get', 'id'],
  updateCron: ['crons', 'update', 'id', 'body'],
  deleteCron: ['crons', 'delete', 'id'],
  triggerCron: ['crons', 'trigger', 'id'],
  previewCron: ['crons', 'preview', 'body'],
  listCronRuns: ['crons', 'listRuns', 'id', 'query'],
  backfillCron: ['crons', 'backfill', 'id', 'body'],
  listWorkflows: ['workflows', 'list', 'query'],
  createWorkflow: ['workflows', 'create', 'body'],
  getWorkflow: ['workflows', 'get', 'id'],
  updateWorkflow: ['workflows', 'update', 'id', 'body'],
  deleteWorkflow: ['workflows', 'delete', 'id'],
  createWorkflowRun: ['workflows', 'createRun', 'id', 'body'],
  listRunsOfWorkflow: ['workflows', 'listRunsOfWorkflow', 'id', 'query'],
  listWorkflowRuns: ['workflowRuns', 'list', 'query'],
  getWorkflowRun: ['workflowRuns', 'get', 'id'],
  getWorkflowRunFailures: ['workflowRuns', 'failures', 'id', 'query'],
  cancelWorkflowRun: ['workflowRuns', 'cancel', 'id'],
  retryWorkflowRun: ['workflowRuns', 'retry', 'id'],
  getParserHealth: ['parsers', 'health', 'id'],
  resetParserHealth: ['parsers', 'resetHealth', 'id', 'body'],
  proposeParserRepair: ['parsers', 'proposeRepair', 'id', 'body'],
  listQuarantinedRows: ['batches', 'listQuarantinedRows', 'id', 'query'],
  releaseQuarantinedRows: ['batches', 'releaseQuarantinedRows', 'id', 'body'],
  discardQuarantinedRows: ['batches', 'discardQuarantinedRows', 'id', 'body'],
  listPages: ['pages', 'list', 'query'],
  getPage: ['pages', 'get', 'id'],
  reparseBatch: ['batches', 'reparse', 'id', 'body'],
  listDatabases: ['databases', 'list', 'query'],
  createDatabase: ['databases', 'create', 'body'],
  getDatabase: ['databases', 'get', 'id'],
  deleteDatabase: ['databases', 'delete', 'id'],
  listRows: ['databases', 'listRows', 'id', 'table', 'query'],
  dropTable: ['databases', 'dropTable', 'id', 'table'],
  createDatabaseCredentials: ['databases', 'createCredentials', 'id'],
  listApis: ['apis', 'list'],
  getApi: ['apis', 'get', 'id'],
  getCredits: ['credits', 'get'],
  listLedger: ['credits', 'listLedger', 'query'],
  listWebhooks: ['webhooks', 'list', 'query'],
  createWebhook: ['webhooks', 'create', 'body'],
  updateWebhook: ['webhooks', 'update', 'id', 'body'],
  deleteWebhook: ['webhooks', 'delete', 'id'],
  listDeliveries: ['webhooks', 'listDeliveries', 'query'],
  replayDelivery: ['webhooks', 'replayDelivery', 'deliveryId'],
} as const satisfies { [N in OperationName]?: MethodOf<N> };

export type CalledName = keyof typeof METHODS;
