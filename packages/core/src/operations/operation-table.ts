import type { Perform, OperationName } from '../platform/context.ts';
import * as contracts from '@gleaner/contracts';
import { API_IDS, API_OPERATIONS, type ApiId } from '@gleaner/contracts';
import { callApi, getApi, listApis } from '../extraction/apis.ts';
import { getBatchFailures } from '../runs/batches/batch-failures.ts';
import { getBatchInputs } from '../runs/batches/batch-inputs.ts';
import { getBatchResults } from '../runs/batches/batch-results.ts';
import { cancelBatch, retryBatch } from '../runs/batches/change-batch.ts';
import { createBatch } from '../runs/batches/create-batch.ts';
import { createBatchLink } from '../runs/batches/batch-link.ts';
import { getBatchKeep, keepBatch } from '../runs/batches/keep-batch.ts';
import { exportBatch } from '../runs/batches/export-batch.ts';
import { getBatch, listBatches, watchBatch } from '../runs/batches/read-batches.ts';
import { getCredits, listLedger } from '../accounts/credits/credits.ts';
import { getSystemUsage } from '../accounts/credits/system-usage.ts';
import { getUsage } from '../accounts/credits/usage.ts';
import { backfillCron, triggerCron } from '../crons/fire-on-demand.ts';
import { createCron, deleteCron, updateCron } from '../crons/change-crons.ts';
import { getCron, listCronRuns, listCrons, previewCron } from '../crons/read-crons.ts';
import { createAccount, updateAccount } from '../accounts/change-accounts.ts';
import { setQueuePause } from '../platform/readiness/paused-queues.ts';
import { cancelAccountRun, listAccountRuns } from '../runs/accounts/account-runs.ts';
import { beginErasure } from '../runs/accounts/begin-erasure.ts';
import { findAccounts } from '../accounts/account-record.ts';
import {
  createAccountKey,
  deleteAccountKey,
  getAccountKey,
  listAccountKeys,
  updateAccountKey,
} from '../accounts/keys/issue-keys.ts';
import {
  getOperatorSession,
  getSession,
  signIn,
  signInOperator,
  signOut,
  signOutOperator,
} from '../accounts/sessions/dashboard-session.ts';
import { readOperatorView } from '../platform/readiness/operator-view.ts';
import { createDatabaseCredentials } from '../storage/databases/reader-login.ts';
import {
  createDatabase,
  deleteDatabase,
  dropTable,
  updateDatabase,
} from '../storage/databases/change-databases.ts';
import { deleteRows } from '../storage/databases/delete-rows.ts';
import { createTableLink, exportTable } from '../storage/databases/export-table.ts';
import { getDatabase, listDatabases } from '../storage/databases/read-databases.ts';
import { listRows } from '../storage/databases/read-rows.ts';
import { listCollections } from '../crons/collections/collections.ts';
import { getOverview } from '../crons/collections/overview.ts';
import { getChanges } from '../storage/changes/read-changes.ts';
import { getRowHistory } from '../storage/changes/read-history.ts';
import { updateTable } from '../storage/changes/update-table.ts';
import { parseHtml } from '../extraction/parse/parse-html.ts';
import { scrape, scrapeAsJson, scrapeWithSchema } from '../extraction/scrape.ts';
import { proposeParserRepair } from '../quarantine/propose-repair.ts';
import { decideAbsentFields } from '../parsers/health/absent-fields.ts';
import { listAlarms, getParserHealth, resetParserHealth } from '../parsers/health/read-health.ts';
import {
  discardQuarantinedRows,
  listQuarantinedRows,
  releaseQuarantinedRows,
} from '../quarantine/change-rows.ts';
import { discardRun, publishRun } from '../quarantine/held-removals.ts';
import { deleteBatch, deleteJob, deleteWorkflowRun } from '../runs/removal/delete-results.ts';
import { createJob } from '../runs/jobs/create-job.ts';
import { cancelJob, getJob, listJobs } from '../runs/jobs/read-jobs.ts';
import { getPage, listPages } from '../storage/pages/read-pages.ts';
import { getRunPace } from '../parsers/health/count-times.ts';
import { parsePages, reparseBatch } from '../runs/batches/reparse-batch.ts';
import { parserSchemaJsonSchema } from '@gleaner/extractors';
import { compareParserVersions, listParserVersions, restoreParserVersion } from '../parsers/versions.ts';
import { createParser, deleteParser, updateParser } from '../parsers/change-parsers.ts';
import { getParserOutput } from '../parsers/get-parser-output.ts';
import { getParser, listParsers } from '../parsers/read-parsers.ts';
import { loadPageResources } from '../extraction/preview/load-page-resources.ts';
import { previewParser } from '../extraction/preview/preview-parser.ts';
import { readPage } from '../extraction/outline/read-page.ts';
import { suggestParser } from '../extraction/suggest/suggest-parser.ts';
import {
  createParserSample,
  deleteParserSample,
  getParserSample,
  listParserSamples,
  updateParserSample,
} from '../extraction/samples/samples.ts';
import { getAlert, listAlerts } from '../events/webhooks/alert-record.ts';
import { createAlert, updateAlert } from '../events/webhooks/change-alerts.ts';
import {
  createWebhook,
  deleteAlert,
  deleteWebhook,
  updateWebhook,
} from '../events/webhooks/change-webhooks.ts';
import {
  listAlertDeliveries,
  testAlert,
  listDeliveries,
  listWebhookDeliveries,
  replayDelivery,
  replayWebhookDelivery,
  testWebhook,
} from '../events/webhooks/deliveries.ts';
import { getWebhook, listWebhooks } from '../events/webhooks/webhook-record.ts';
import { getWebhookSecret, rotateWebhookSecret } from '../events/webhooks/webhook-secret.ts';
import { createWorkflow, deleteWorkflow, updateWorkflow } from '../workflows/change-workflows.ts';
import { getWorkflow, listWorkflows } from '../workflows/workflow-record.ts';
import { createCrawl, createMap, getCrawl, listCrawls } from '../workflows/runs/crawls.ts';
import { exportCrawlUrls, listCrawlUrls } from '../workflows/runs/crawl-urls.ts';
import { exportWorkflowRunResults, getWorkflowRunResults } from '../workflows/runs/run-results.ts';
import {
  cancelWorkflowRun,
  retryWorkflowRun,
  createWorkflowRun,
} from '../workflows/runs/change-workflow-run.ts';
import {
  getWorkflowRun,
  getWorkflowRunFailures,
  listRunsOfWorkflow,
  listWorkflowRuns,
  watchWorkflowRun,
} from '../workflows/runs/read-workflow-runs.ts';
import { getNames } from './get-names.ts';
import type { OperationEntry, OperationServices } from './operation-entry.ts';

/** The function of each operation; a missing or wrong one does not compile. */
const FUNCTIONS: { [N in OperationName]: Perform<N, OperationServices> } = {
  parseHtml,
  scrape,
  scrapeAsJson,
  scrapeWithSchema,
  createParser,
  listParsers,
  previewParser,
  loadPageResources,
  suggestParser,
  readPage,
  getParser,
  getParserOutput,
  updateParser,
  deleteParser,
  listParserVersions,
  restoreParserVersion,
  createParserSample,
  listParserSamples,
  getParserSample,
  updateParserSample,
  deleteParserSample,
  compareParserVersions,
  getParserLanguage: async () => parserSchemaJsonSchema(),
  createDatabase,
  listDatabases,
  getDatabase,
  updateDatabase,
  deleteDatabase,
  listRows,
  deleteRows,
  exportTable,
  createTableLink,
  updateTable,
  getChanges,
  getRowHistory,
  dropTable,
  createDatabaseCredentials,
  createAlert,
  listAlerts,
  getAlert,
  updateAlert,
  deleteAlert,
  testAlert,
  listAlertDeliveries,
  createWebhook,
  testWebhook,
  listWebhooks,
  getWebhookSecret,
  rotateWebhookSecret,
  listDeliveries,
  replayDelivery,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  replayWebhookDelivery,
  listApis,
  getApi,
  createJob,
  listJobs,
  getJob,
  cancelJob,
  deleteJob,
  createBatch,
  listBatches,
  getBatch,
  getBatchResults,
  getBatchInputs,
  getBatchFailures,
  exportBatch,
  createBatchLink,
  keepBatch,
  getBatchKeep,
  watchBatch,
  cancelBatch,
  deleteBatch,
  retryBatch,
  listPages,
  getPage,
  parsePages,
  getRunPace,
  reparseBatch,
  getParserHealth,
  listAlarms,
  getNames,
  getOverview,
  listCollections,
  decideAbsentFields,
  resetParserHealth,
  proposeParserRepair,
  listQuarantinedRows,
  releaseQuarantinedRows,
  discardQuarantinedRows,
  publishRun,
  discardRun,
  createWorkflow,
  listWorkflows,
  getWorkflow,
  updateWorkflow,
  deleteWorkflow,
  createWorkflowRun,
  listRunsOfWorkflow,
  listWorkflowRuns,
  getWorkflowRun,
  getWorkflowRunFailures,
  watchWorkflowRun,
  cancelWorkflowRun,
  deleteWorkflowRun,
  retryWorkflowRun,
  getWorkflowRunResults,
  exportWorkflowRunResults,
  createCrawl,
  createMap,
  listCrawls,
  getCrawl,
  listCrawlUrls,
  exportCrawlUrls,
  createCron,
  listCrons,
  previewCron,
  getCron,
  updateCron,
  deleteCron,
  triggerCron,
  listCronRuns,
  backfillCron,
  getCredits,
  getUsage,
  listLedger,
  signIn,
  getSession,
  signOut,
  signInOperator,
  getOperatorSession,
  signOutOperator,
  listKeys: listAccountKeys,
  createKey: createAccountKey,
  getKey: getAccountKey,
  updateKey: updateAccountKey,
  deleteKey: deleteAccountKey,
  listAccounts: findAccounts,
  getSystemUsage,
  getSystemHealth: ({ services }) => readOperatorView(services),
  setQueuePause: ({ services }, { params, body }) => setQueuePause(services.db, params.queue, body.paused),
  createAccount: ({ services }, { body }) => createAccount(services.db, body),
  listAccountRuns,
  cancelAccountRun,
  eraseAccount: async ({ services }, { params, body }) => ({
    erasure: await beginErasure(services.db, { account: params.id, name: body.name }),
  }),
  updateAccount: async ({ services }, { params, body }) => ({
    account: await updateAccount(services.db, { ...body, account: params.id }),
  }),
};

type Fields = Readonly<Record<string, unknown>>;

function formsOf(id: ApiId): OperationEntry[] {
  const { get, post } = API_OPERATIONS[id];
  return [
    { operation: get, perform: (ctx, { query }) => callApi(ctx, id, query as Fields) },
    { operation: post, perform: (ctx, { body }) => callApi(ctx, id, body as Fields) },
  ];
}

const DEFINED: Readonly<Record<OperationName, contracts.Operation>> = contracts;

/** All operations with their functions. All doors share this table. */
export const operationTable: readonly OperationEntry[] = [
  // Calls parse the input with the schemas from which the types of the function are derived.
  ...Object.entries(FUNCTIONS).map(([name, perform]) => ({
    operation: DEFINED[name as OperationName],
    perform: perform as OperationEntry['perform'],
  })),
  ...API_IDS.flatMap(formsOf),
];
