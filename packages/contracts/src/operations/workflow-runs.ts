import { z } from 'zod';
import { idField, identifierField, listAnswer, refField, timestampField, nullIsAbsent } from '../fields.ts';
import { operationsOf, accepted, json, rawJson, orDryRun } from '../define-operation.ts';
import { PAUSE_REASONS, RESULT_MODES, WORKFLOW_RUN_KINDS } from '../values/index.ts';
import { shownSinceField, shownSourceSchema, sinceTimeField, sourceField } from '../runs/sources.ts';
import { shownSinkSchema } from '../runs/sinks.ts';
import { checkExport, UNTYPED_EXPORT_TYPES, untypedExportFields } from '../runs/export-format.ts';
import { carryField, shownCarryField } from '../runs/carry.ts';
import { MAX_WORKFLOW_TASKS } from '../runs/workflow-stages.ts';
import { countsSchema, MAX_BATCH_BODY_BYTES, MAX_BATCH_BODY_VALUES } from './batches.ts';
import {
  causeField,
  cursorField,
  openCursorField,
  dryRunSchema,
  failureCausesField,
  failureSchema,
  fetchedFields,
  inputPageQuery,
  inputValuesField,
  rootRunsQuery,
  rowChangesField,
  runCreditsSchema,
  runOutcomeFields,
  runStateField,
  waitingSchema,
  waysField,
} from './runs.ts';
import { webhookUrlField } from './webhooks.ts';

const define = operationsOf({ tag: 'Workflows', auth: 'key' });

/** Where the rows of a stage are. */
const rowsPlaceFields = {
  run_id: z.string().describe('What its rows have as `_run_id`.'),
  sink: shownSinkSchema,
  rows: rowChangesField,
};

const crawlStateSchema = z
  .object({
    page_limit: z.int().describe('Most pages: `limits.pages`, or `limit` of the stage.'),
    folders: z
      .array(z.string())
      .nullable()
      .describe('With `scope: "path"`: the folders that it reads, the first 100. Null for other scopes.'),
    duplicates: z.int().describe('Addresses of pages that count under another address.'),
    over_limit: z.int().describe('Addresses that were found and are beyond the limit on pages.'),
    unfollowed_pages: z
      .int()
      .describe(
        'Pages at the greatest depth with links to pages that the crawl did not reach otherwise: more depth, or `next` for the links between pages of a list, reaches those.',
      ),
    sources: countsSchema.nullable().describe('robots.txt files, sitemaps and feeds; null without any.'),
    routes: z
      .array(
        z.object({ name: z.string(), mode: z.enum(RESULT_MODES), ...rowsPlaceFields, counts: countsSchema }),
      )
      .describe('Pages of the routes that extract data, which are among those of the stage.'),
  })
  .nullable()
  .describe('Of a stage that crawls; its `counts` are those of the pages. Null for other stages.');

export const stageStateSchema = z.object({
  name: z.string(),
  status: runStateField,
  mode: z.enum(RESULT_MODES),
  ...rowsPlaceFields,
  counts: countsSchema,
  waiting: z.int().describe('Inputs that wait for credits. They are not part of the total yet.'),
  duplicates: z.int().describe('Inputs that the stage had already.'),
  refused: z.int().describe('Values that are no valid input: not a URL, a missing parameter.'),
  over_limit: z.int().describe('Inputs beyond the limit on tasks.'),
  dropped: z.int().describe('Inputs that never began: credits were lacking, or the run was cancelled.'),
  credits: runCreditsSchema,
  ways: waysField,
  crawl: crawlStateSchema,
  started_at: timestampField.nullable(),
  finished_at: timestampField.nullable(),
});

export const workflowRunSchema = z
  .object({
    id: idField('workflow run'),
    kind: z.enum(WORKFLOW_RUN_KINDS),
    workflow_id: idField('workflow').nullable().describe('Null for crawls and maps.'),
    workflow_version: z.int().nullable(),
    name: z.string().nullable().describe('That of the workflow when the run started, or of the crawl.'),
    status: runStateField,
    ...runOutcomeFields,
    paused: z
      .object({
        reason: z
          .enum(PAUSE_REASONS)
          .describe(
            '`insufficient credits`: it goes on when there are some, and ends without them after 24 hours. `pending limit`. `limits.credits`.',
          ),
        since: timestampField,
      })
      .nullable()
      .describe('Why inputs wait.'),
    waiting: waitingSchema,
    counts: countsSchema.describe('Counts of all stages together.'),
    credits: runCreditsSchema,
    source: shownSourceSchema,
    since: shownSinceField,
    carry: shownCarryField,
    stages: z.array(stageStateSchema),
    created_at: timestampField,
    started_at: timestampField.nullable(),
    finished_at: timestampField.nullable(),
    expires_at: timestampField
      .nullable()
      .describe(
        'When results are removed, 24 hours after the end; null before, and without results to read.',
      ),
  })
  .meta({ id: 'WorkflowRun' });

export type WorkflowRunRecord = z.input<typeof workflowRunSchema>;

const workflowParams = z.strictObject({ id: refField('workflow') });
export const workflowRunParams = z.strictObject({ id: idField('workflow run') });
const params = workflowRunParams;

export const createWorkflowRun = define('createWorkflowRun', 'POST /v1/workflows/{id}/runs', {
  summary: 'Start a workflow.',
  description:
    'The first stage takes `urls` or `inputs`, each once, or those of a `source`. Their price is reserved now, or when the source was read; that of the other stages as their inputs come. When credits run out the run pauses. With `dry_run` it answers what the first stage would do.',
  params: workflowParams,
  body: z.strictObject({
    urls: z
      .array(z.string())
      .max(MAX_WORKFLOW_TASKS)
      .optional()
      .describe('When the first stage has a parser: the pages.'),
    inputs: z
      .array(z.record(z.string(), z.unknown()))
      .max(MAX_WORKFLOW_TASKS)
      .optional()
      .describe('Parameters of a prebuilt API, or `{url, …}` for a parser.'),
    carry: carryField,
    source: nullIsAbsent(sourceField),
    since: nullIsAbsent(sinceTimeField),
    webhook_url: webhookUrlField.optional(),
    dry_run: z.boolean().optional().describe('Only report what the first stage would do.'),
  }),
  bodyLimitBytes: MAX_BATCH_BODY_BYTES,
  bodyValues: MAX_BATCH_BODY_VALUES,
  answer: orDryRun(accepted(workflowRunSchema), dryRunSchema),
  errors: ['pending_limit'],
  credits: 'scrape',
  creates: true,
  tool: 'run_workflow',
});

const runList = json(listAnswer('workflow_runs', workflowRunSchema));

export const listRunsOfWorkflow = define('listRunsOfWorkflow', 'GET /v1/workflows/{id}/runs', {
  summary: 'Runs of one workflow, newest first.',
  params: workflowParams,
  query: rootRunsQuery,
  answer: runList,
  fairShare: 'call',
});

export const listWorkflowRuns = define('listWorkflowRuns', 'GET /v1/workflow-runs', {
  summary: 'Workflow runs of the account, newest first.',
  query: rootRunsQuery.extend({
    kind: z.enum(WORKFLOW_RUN_KINDS).optional().describe('Only those of this kind.'),
  }),
  answer: runList,
  fairShare: 'call',
});

export const getWorkflowRun = define('getWorkflowRun', 'GET /v1/workflow-runs/{id}', {
  summary: 'One workflow run with the counts of each stage.',
  params,
  answer: json(workflowRunSchema),
  tool: 'get_workflow_run',
});

export const getWorkflowRunFailures = define(
  'getWorkflowRunFailures',
  'GET /v1/workflow-runs/{id}/failures',
  {
    summary: 'Failed inputs of a workflow run, stage by stage.',
    params,
    query: inputPageQuery.extend({
      stage: z.string().max(63).optional().describe('Failures of this stage alone.'),
    }),
    answer: json(
      z.object({
        causes: failureCausesField,
        failures: z.array(z.object({ stage: z.string(), ...failureSchema.shape })),
        cursor: cursorField,
      }),
    ),
    fairShare: 'call',
  },
);

const resultFilters = {
  stage: identifierField.optional().describe('Results of this stage alone.'),
  route: identifierField.optional().describe('Results of this route of a crawl alone.'),
};

export const getWorkflowRunResults = define('getWorkflowRunResults', 'GET /v1/workflow-runs/{id}/results', {
  summary: 'Results of the stages and routes of a workflow run that have no sink.',
  description:
    'Stage by stage, in the order of their inputs, until 24 hours after the end of the run. While the run goes on, a page can be empty; `cursor` is present until the run has ended and everything was read, so a walk misses nothing.',
  params,
  query: inputPageQuery.extend(resultFilters),
  answer: rawJson(
    z.object({
      results: z.array(
        z.object({
          url: z.string(),
          input: inputValuesField,
          stage: z.string(),
          route: z.string().nullable().describe('The route that took the page; null outside crawls.'),
          ...fetchedFields,
          data: z.unknown().describe('What the target extracted.'),
        }),
      ),
      cursor: openCursorField,
    }),
  ),
  errors: ['batch_writes_to_database'],
  tool: 'get_run_results',
  fairShare: 'call',
});

export const exportWorkflowRunResults = define(
  'exportWorkflowRunResults',
  'GET /v1/workflow-runs/{id}/results/export',
  {
    summary: 'All those results as one stream of NDJSON, CSV or xlsx.',
    description:
      'While the run goes on, it holds the results so far. CSV and xlsx have the columns of all stages and routes that they hold; nested values are JSON text. An xlsx has at most 100,000 rows and 64 MB unpacked.',
    params,
    query: z.strictObject({ ...untypedExportFields, ...resultFilters }).superRefine(checkExport),
    answer: { kind: 'stream', status: 200, contentTypes: UNTYPED_EXPORT_TYPES },
    errors: ['batch_writes_to_database'],
    fairShare: 'each-page',
  },
);

export const watchWorkflowRun = define('watchWorkflowRun', 'GET /v1/workflow-runs/{id}/events', {
  summary: 'Progress as server-sent events.',
  description:
    'An event `progress` with the run at once and whenever its counts change, `finished` at the end, then the stream closes. With Last-Event-ID a state that the client knows is not sent again, but for the end.',
  params,
  answer: { kind: 'events', status: 200, schema: workflowRunSchema },
});

export const deleteWorkflowRun = define('deleteWorkflowRun', 'DELETE /v1/workflow-runs/{id}', {
  summary: 'Remove the results of an ended workflow run, crawl or map.',
  description:
    'The record stays with its counts and credits; results, failures, addresses, held rows and kept pages can be read no more. Rows of tables stay.',
  params,
  answer: { kind: 'empty', status: 204 },
  errors: ['in_use'],
});

export const cancelWorkflowRun = define('cancelWorkflowRun', 'POST /v1/workflow-runs/{id}/cancel', {
  summary: 'Cancel a workflow run with all its stages; its reservations are given back at once.',
  params,
  answer: json(workflowRunSchema),
  errors: ['already_finished'],
});

export const retryWorkflowRun = define('retryWorkflowRun', 'POST /v1/workflow-runs/{id}/retry', {
  summary:
    'Run the failed inputs of all stages, or of one, again; what they give goes on to the next stages.',
  description:
    'Within 24 hours of the start. Their price is reserved again. Without failures nothing happens; a cause by which none failed is 409.',
  params,
  body: z.strictObject({
    cause: causeField.optional(),
    stage: z.string().max(63).optional().describe('Only inputs of this stage.'),
  }),
  answer: accepted(workflowRunSchema),
  errors: ['insufficient_credits', 'already_finished', 'in_use', 'pending_limit'],
  creates: true,
});
