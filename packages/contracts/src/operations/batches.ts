import { z } from 'zod';
import { idField, listAnswer, nameField, nullIsAbsent, timestampField } from '../fields.ts';
import { carryField, shownCarryField } from '../runs/carry.ts';
import {
  checkExport,
  columnsField,
  EXPORT_TYPES,
  exportBody,
  exportFields,
  exportLinkAnswer,
} from '../runs/export-format.ts';
import { operationsOf, accepted, json, rawJson, orDryRun } from '../define-operation.ts';
import { RESULT_MODES } from '../values/index.ts';
import { shownConfigSchema } from '../fetching/scrape-config.ts';
import { shownSinkSchema } from '../runs/sinks.ts';
import { shownSinceField, shownSourceSchema, sinceTimeField, sourceField } from '../runs/sources.ts';
import { targetSchema } from '../runs/targets.ts';
import {
  causeField,
  cursorField,
  dryRunSchema,
  failureCausesField,
  failureSchema,
  fetchedFields,
  inputPageQuery,
  inputValuesField,
  openCursorField,
  refusedFields,
  runCreditsSchema,
  runFields,
  runOutcomeFields,
  runsQuery,
  runStateField,
  shownRunFields,
  waitingSchema,
  waysField,
} from './runs.ts';

const define = operationsOf({ tag: 'Batches', auth: 'key' });

/** The most inputs of one batch. */
export const MAX_BATCH_INPUTS = 1_000_000;
/** The largest JSON body. A file may be larger, because it is streamed. */
export const MAX_BATCH_BODY_BYTES = 64 * 1024 * 1024;
/** Limit of a JSON body: a million inputs with two parameters each. */
export const MAX_BATCH_BODY_VALUES = 3_000_000;
export const MAX_BATCH_UPLOAD_BYTES = 1024 * 1024 * 1024;

export const countsSchema = z
  .object({
    total: z.int(),
    pending: z.int(),
    running: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    waiting_for_sink: z
      .int()
      .describe(
        'The pending or running tasks that are fetched and extracted, and wait for the sink’s database.',
      ),
    rows_kept: z
      .int()
      .describe('Written rows in which a value of an earlier fetch stayed, with `sink.nulls: "keep"`.'),
  })
  .describe('Always pending + running + succeeded + failed + cancelled.');

/** What `skip_invalid` left out: only in the answer that creates a batch of inputs with it. */
const leftOutFields = z.object(refusedFields).partial().shape;

export const batchSchema = z
  .object({
    id: idField('batch'),
    name: z.string().nullable(),
    status: runStateField,
    ...runOutcomeFields,
    mode: z.enum(RESULT_MODES),
    target: targetSchema,
    scrape_config: shownConfigSchema,
    sink: shownSinkSchema,
    ...shownRunFields,
    carry: shownCarryField,
    source: shownSourceSchema,
    since: shownSinceField,
    counts: countsSchema.extend({
      quarantined: z
        .int()
        .describe('The same as `held`: rows of succeeded inputs, because the parser seems broken.'),
    }),
    credits: runCreditsSchema,
    waiting: waitingSchema,
    ways: waysField,
    created_at: timestampField,
    started_at: timestampField.nullable(),
    finished_at: timestampField.nullable(),
    expires_at: timestampField.nullable().describe('When results are removed; null in database mode.'),
    ...leftOutFields,
  })
  .meta({ id: 'Batch' });

export type BatchRecord = z.input<typeof batchSchema>;

const batchParams = z.strictObject({ id: idField('batch') });

/** The fields besides the inputs, in JSON bodies and forms. */
export const batchFields = z.strictObject({
  name: nullIsAbsent(nameField),
  ...runFields,
  carry: carryField,
  dedupe: z.boolean().optional().describe('Run only the first of equal inputs.'),
  skip_invalid: z.boolean().optional().describe('Leave out invalid inputs and name them.'),
});

export type BatchFields = z.output<typeof batchFields>;

export const createBatch = define('createBatch', 'POST /v1/batches', {
  summary: 'Run one target over many inputs.',
  description:
    'Send JSON with `urls` or `inputs`, or a form with the same fields (objects as JSON) and a `file` of NDJSON or CSV with up to 1,000,000 inputs. A line of NDJSON is a URL, a JSON string, or an object: `{"url": …}` for parsers, the parameters for prebuilt APIs. CSV has a header with a column `url`, or the names of parameters. `carry` keeps further values of the inputs. Files are UTF-8, or UTF-16 with a byte order mark. The whole price is reserved now, or when the `source` was read; only successes are charged.',
  body: batchFields.extend({
    urls: z.array(z.string()).max(MAX_BATCH_INPUTS).optional().describe('For parsers: the pages.'),
    inputs: z
      .array(z.record(z.string(), z.unknown()))
      .max(MAX_BATCH_INPUTS)
      .optional()
      .describe('Parameters of a prebuilt API, or `{url, …}` for a parser.'),
    source: nullIsAbsent(sourceField),
    since: nullIsAbsent(sinceTimeField),
  }),
  upload: {
    parts: {
      target: { description: 'JSON.', binary: false, required: true },
      name: { description: 'Text.', binary: false, required: false },
      scrape_config: { description: 'JSON.', binary: false, required: false },
      sink: { description: 'JSON.', binary: false, required: false },
      webhook_url: { description: 'Text.', binary: false, required: false },
      dedupe: { description: 'true or false.', binary: false, required: false },
      skip_invalid: { description: 'true or false.', binary: false, required: false },
      dry_run: { description: 'true or false.', binary: false, required: false },
      max_credits: { description: 'Integer.', binary: false, required: false },
      keep_pages: { description: 'none, failed, sample:N or all.', binary: false, required: false },
      carry: { description: 'JSON.', binary: false, required: false },
      file: {
        description: 'NDJSON or CSV; the last part when it is larger than 8 MB.',
        binary: true,
        required: true,
      },
    },
    bodyLimitBytes: MAX_BATCH_UPLOAD_BYTES,
  },
  bodyLimitBytes: MAX_BATCH_BODY_BYTES,
  bodyValues: MAX_BATCH_BODY_VALUES,
  answer: orDryRun(accepted(batchSchema), dryRunSchema),
  errors: ['not_found', 'pending_limit'],
  credits: 'scrape',
  creates: true,
  tool: 'create_batch',
});

export const listBatches = define('listBatches', 'GET /v1/batches', {
  summary: 'Batches of the account, newest first.',
  query: runsQuery,
  answer: json(listAnswer('batches', batchSchema)),
  fairShare: 'call',
});

export const getBatch = define('getBatch', 'GET /v1/batches/{id}', {
  summary: 'One batch with its counts.',
  params: batchParams,
  answer: json(batchSchema),
  tool: 'get_batch',
});

export const getBatchResults = define('getBatchResults', 'GET /v1/batches/{id}/results', {
  summary: 'Results of the succeeded inputs of a batch, in input order.',
  description:
    'While the batch runs, a page ends before the first unfinished input and can be empty; `cursor` is present until the batch has ended and everything was read, so a walk misses nothing. Wait a little after an empty page.',
  params: batchParams,
  query: inputPageQuery,
  answer: rawJson(
    z.object({
      results: z.array(
        z.object({
          url: z
            .string()
            .describe(
              'The input URL; for prebuilt APIs the address in the parameters, or the equivalent call.',
            ),
          input: inputValuesField,
          ...fetchedFields,
          data: z.unknown().describe('What the target extracted.'),
        }),
      ),
      cursor: openCursorField,
    }),
  ),
  errors: ['batch_writes_to_database'],
  tool: 'get_batch_results',
  fairShare: 'call',
});

export const getBatchInputs = define('getBatchInputs', 'GET /v1/batches/{id}/inputs', {
  summary: 'Inputs of a batch, in their order.',
  params: batchParams,
  query: inputPageQuery,
  answer: json(
    z.object({
      inputs: z.array(z.object({ url: z.string(), input: inputValuesField })),
      cursor: cursorField,
    }),
  ),
});

export const getBatchFailures = define('getBatchFailures', 'GET /v1/batches/{id}/failures', {
  summary: 'Failed inputs of a batch, with causes.',
  params: batchParams,
  query: inputPageQuery,
  answer: json(
    z.object({
      causes: failureCausesField,
      failures: z.array(failureSchema),
      cursor: cursorField,
    }),
  ),
  fairShare: 'call',
});

export const exportBatch = define('exportBatch', 'GET /v1/batches/{id}/export', {
  summary: 'All results as one stream of NDJSON, CSV, Parquet or xlsx.',
  description:
    'While the batch runs, the export holds the results so far; export again after it has finished. In CSV, nested values are JSON text, and cells that a spreadsheet would run as a formula start with an apostrophe unless `formulas=keep`. Parquet has the types of the parser’s fields. An xlsx has at most 100,000 rows and 64 MB unpacked, and its texts are never formulas.',
  params: batchParams,
  query: z.strictObject({ ...exportFields, columns: columnsField }).superRefine(checkExport),
  answer: { kind: 'stream', status: 200, contentTypes: EXPORT_TYPES },
  errors: ['batch_writes_to_database'],
  fairShare: 'each-page',
});

export const createBatchLink = define('createBatchLink', 'POST /v1/batches/{id}/export-link', {
  summary: 'A secret address from which anyone downloads the results for a day.',
  description: 'It ends with the results, the key that made it and the account.',
  params: batchParams,
  body: z.strictObject({ ...exportBody, columns: columnsField }).superRefine(checkExport),
  answer: exportLinkAnswer,
  errors: ['batch_writes_to_database', 'plan_limit_exceeded'],
  creates: true,
  showsSecret: true,
});

export const watchBatch = define('watchBatch', 'GET /v1/batches/{id}/events', {
  summary: 'Progress as server-sent events.',
  description:
    'Sends an event `progress` with the batch immediately and after each change of its counts, then `finished`, and closes the stream. With Last-Event-ID, a state that the client already has is not sent again, except `finished`.',
  params: batchParams,
  answer: { kind: 'events', status: 200, schema: batchSchema },
});

export const deleteBatch = define('deleteBatch', 'DELETE /v1/batches/{id}', {
  summary: 'Remove the results of an ended batch.',
  description:
    'The record stays with its counts and credits; results, failures, held rows and kept pages can be read no more. Rows of tables stay.',
  params: batchParams,
  answer: { kind: 'empty', status: 204 },
  errors: ['in_use'],
});

export const cancelBatch = define('cancelBatch', 'POST /v1/batches/{id}/cancel', {
  summary: 'Cancel a batch: running tasks stop, and its reservation is released.',
  params: batchParams,
  answer: json(batchSchema),
  errors: ['already_finished'],
});

export const retryBatch = define('retryBatch', 'POST /v1/batches/{id}/retry', {
  summary: 'Run the failed inputs of a batch again.',
  description:
    'Reserves their price again. With `max_credits`, only as many inputs run again, in input order, as the remaining credits pay for; the others stay failed. Without an input to run again, the call is refused with the reason.',
  params: batchParams,
  body: z.strictObject({
    cancelled: z
      .boolean()
      .optional()
      .describe('Also run the inputs that were cancelled. Only once the batch has ended. Default false.'),
    cause: causeField.optional(),
  }),
  answer: accepted(batchSchema),
  errors: ['insufficient_credits', 'already_finished', 'in_use', 'pending_limit'],
  creates: true,
});
