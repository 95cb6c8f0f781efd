import type * as contracts from '@gleaner/contracts';
import type { Operation } from '@gleaner/contracts';

type Contracts = typeof contracts;

export type OperationName = {
  [K in keyof Contracts]: Contracts[K] extends Operation ? K : never;
}[keyof Contracts];

/** The description of an operation, by its name; imports only types, so that the bundle has no schemas. */
export type OperationOf<N extends OperationName> = Extract<Contracts[N], Operation>;

type Route<O extends Operation> = readonly [O['method'], O['path'], O['answer']['kind']];

/** The operations that the dashboard calls. A line that differs from the operation's description does not compile. */
export const ROUTES = {
  listParsers: ['GET', '/v1/parsers', 'json'],
  createParser: ['POST', '/v1/parsers', 'json'],
  getParser: ['GET', '/v1/parsers/{id}', 'json'],
  updateParser: ['PUT', '/v1/parsers/{id}', 'json'],
  deleteParser: ['DELETE', '/v1/parsers/{id}', 'empty'],
  listParserVersions: ['GET', '/v1/parsers/{id}/versions', 'json'],
  restoreParserVersion: ['POST', '/v1/parsers/{id}/versions/{n}/restore', 'json'],
  compareParserVersions: ['POST', '/v1/parsers/{id}/compare', 'json'],
  listParserSamples: ['GET', '/v1/parsers/{id}/samples', 'json'],
  createParserSample: ['POST', '/v1/parsers/{id}/samples', 'json'],
  getParserSample: ['GET', '/v1/parsers/{id}/samples/{sample}', 'json'],
  updateParserSample: ['PUT', '/v1/parsers/{id}/samples/{sample}', 'json'],
  deleteParserSample: ['DELETE', '/v1/parsers/{id}/samples/{sample}', 'empty'],
  previewParser: ['POST', '/v1/parsers/preview', 'json-text'],
  loadPageResources: ['POST', '/v1/parsers/page-resources', 'json'],
  getParserLanguage: ['GET', '/v1/schemas/parser', 'json'],
  listJobs: ['GET', '/v1/jobs', 'json'],
  createJob: ['POST', '/v1/jobs', 'json'],
  getJob: ['GET', '/v1/jobs/{id}', 'json'],
  cancelJob: ['POST', '/v1/jobs/{id}/cancel', 'json'],
  listBatches: ['GET', '/v1/batches', 'json'],
  createBatch: ['POST', '/v1/batches', 'json'],
  getBatch: ['GET', '/v1/batches/{id}', 'json'],
  getBatchResults: ['GET', '/v1/batches/{id}/results', 'json-text'],
  getBatchFailures: ['GET', '/v1/batches/{id}/failures', 'json'],
  exportBatch: ['GET', '/v1/batches/{id}/export', 'stream'],
  watchBatch: ['GET', '/v1/batches/{id}/events', 'events'],
  cancelBatch: ['POST', '/v1/batches/{id}/cancel', 'json'],
  retryBatch: ['POST', '/v1/batches/{id}/retry', 'json'],
  listCrons: ['GET', '/v1/crons', 'json'],
  createCron: ['POST', '/v1/crons', 'json'],
  getCron: ['GET', '/v1/crons/{id}', 'json'],
  updateCron: ['PUT', '/v1/crons/{id}', 'json'],
  deleteCron: ['DELETE', '/v1/crons/{id}', 'empty'],
  triggerCron: ['POST', '/v1/crons/{id}/trigger', 'json'],
  previewCron: ['POST', '/v1/crons/preview', 'json'],
  listCronRuns: ['GET', '/v1/crons/{id}/runs', 'json'],
  backfillCron: ['POST', '/v1/crons/{id}/backfill', 'json'],
  listWorkflows: ['GET', '/v1/workflows', 'json'],
  createWorkflow: ['POST', '/v1/workflows', 'json'],
  getWorkflow: ['GET', '/v1/workflows/{id}', 'json'],
  updateWorkflow: ['PUT', '/v1/workflows/{id}', 'json'],
  deleteWorkflow: ['DELETE', '/v1/workflows/{id}', 'empty'],
  createWorkflowRun: ['POST', '/v1/workflows/{id}/runs', 'json'],
  listRunsOfWorkflow: ['GET', '/v1/workflows/{id}/runs', 'json'],
  listWorkflowRuns: ['GET', '/v1/workflow-runs', 'json'],
  getWorkflowRun: ['GET', '/v1/workflow-runs/{id}', 'json'],
  watchWorkflowRun: ['GET', '/v1/workflow-runs/{id}/events', 'events'],
  getWorkflowRunFailures: ['GET', '/v1/workflow-runs/{id}/failures', 'json'],
  cancelWorkflowRun: ['POST', '/v1/workflow-runs/{id}/cancel', 'json'],
  retryWorkflowRun: ['POST', '/v1/workflow-runs/{id}/retry', 'json'],
  getParserHealth: ['GET', '/v1/parsers/{id}/health', 'json'],
  proposeParserRepair: ['POST', '/v1/parsers/{id}/repair', 'json'],
  listQuarantinedRows: ['GET', '/v1/batches/{id}/quarantine', 'json'],
  releaseQuarantinedRows: ['POST', '/v1/batches/{id}/quarantine/release', 'json'],
  discardQuarantinedRows: ['POST', '/v1/batches/{id}/quarantine/discard', 'json'],
  listPages: ['GET', '/v1/pages', 'json'],
  getPage: ['GET', '/v1/pages/{id}', 'json'],
  reparseBatch: ['POST', '/v1/batches/{id}/reparse', 'json'],
  listDatabases: ['GET', '/v1/databases', 'json'],
  createDatabase: ['POST', '/v1/databases', 'json'],
  getDatabase: ['GET', '/v1/databases/{id}', 'json'],
  deleteDatabase: ['DELETE', '/v1/databases/{id}', 'empty'],
  listRows: ['GET', '/v1/databases/{id}/tables/{table}/rows', 'json'],
  exportTable: ['GET', '/v1/databases/{id}/tables/{table}/export', 'stream'],
  dropTable: ['DELETE', '/v1/databases/{id}/tables/{table}', 'empty'],
  createDatabaseCredentials: ['POST', '/v1/databases/{id}/credentials', 'json'],
  listApis: ['GET', '/v1/apis', 'json'],
  getApi: ['GET', '/v1/apis/{id}', 'json'],
  getCredits: ['GET', '/v1/credits', 'json'],
  listLedger: ['GET', '/v1/credits/ledger', 'json'],
  listWebhooks: ['GET', '/v1/webhooks', 'json'],
  createWebhook: ['POST', '/v1/webhooks', 'json'],
  updateWebhook: ['PUT', '/v1/webhooks/{id}', 'json'],
  deleteWebhook: ['DELETE', '/v1/webhooks/{id}', 'empty'],
  listDeliveries: ['GET', '/v1/webhooks/deliveries', 'json'],
  replayDelivery: ['POST', '/v1/webhooks/deliveries/{deliveryId}/replay', 'json'],
} as const satisfies { [N in OperationName]?: Route<OperationOf<N>> };

export type CalledName = keyof typeof ROUTES;
