import { z } from 'zod';
import { idField, listAnswer, listQuery, nameField, queryNumber, timestampField } from '../fields.ts';
import { defineOperation } from '../operation.ts';
import { scrapeConfigSchema, shownConfigSchema } from '../scrape-config.ts';
import { shownSinkSchema, sinkSchema } from '../sinks.ts';
import { targetSchema } from '../targets.ts';
import { dryRunField, dryRunSchema, maxCreditsField, runStateField } from './runs.ts';
import { webhookUrlField } from './webhooks.ts';

/** Most inputs of one batch. */
export const MAX_BATCH_INPUTS = 1_000_000;
/** Largest JSON body; a file may be larger, it is streamed. */
export const MAX_BATCH_BODY_BYTES = 64 * 1024 * 1024;
export const MAX_BATCH_UPLOAD_BYTES = 1024 * 1024 * 1024;

const countsSchema = z
  .object({
    total: z.int(),
    pending: z.int(),
    running: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    waiting_for_sink: z
      .int()
      .describe('Of those pending or running: fetched and extracted, waiting for the database of the sink.'),
  })
  .describe('total = pending + running + succeeded + failed + cancelled, at any moment.');

export const batchSchema = z
  .object({
    id: idField('batch'),
    name: z.string().nullable(),
    status: runStateField,
    mode: z.enum(['return', 'database']),
    target: targetSchema,
    scrape_config: shownConfigSchema,
    sink: shownSinkSchema,
    counts: countsSchema,
    credits: z.object({ reserved: z.int(), used: z.int() }),
    created_at: timestampField,
    started_at: timestampField.nullable(),
    finished_at: timestampField.nullable(),
    expires_at: timestampField.nullable().describe('When results are removed; null in database mode.'),
  })
  .meta({ id: 'Batch' });

export type BatchRecord = z.input<typeof batchSchema>;

const batchParams = z.strictObject({ id: idField('batch') });

/** The fields beside the inputs, of JSON bodies and of forms. */
export const batchFields = z.strictObject({
  name: nameField.optional(),
  target: targetSchema,
  scrape_config: scrapeConfigSchema.optional(),
  sink: sinkSchema.optional(),
  webhook_url: webhookUrlField.optional(),
  dedupe: z
    .boolean()
    .optional()
    .describe('Keep the first of equal inputs. Without it duplicates are kept once each.'),
  dry_run: dryRunField.optional(),
  max_credits: maxCreditsField.optional(),
});

export type BatchFields = z.output<typeof batchFields>;

export const createBatch = defineOperation({
  id: 'createBatch',
  method: 'POST',
  path: '/v1/batches',
  tag: 'Batches',
  summary: 'Run one target over many inputs.',
  description:
    'As JSON with `urls` or `inputs`, or as a form with the same fields (objects as JSON) and last a `file` of NDJSON or CSV: up to 1,000,000 inputs, streamed. A line of NDJSON is a URL, a JSON string, or an object: `{"url": …}` for parsers, the parameters for prebuilt APIs. CSV has a header with a column `url`, or the names of parameters. Files are UTF-8, or UTF-16 with a byte order mark. The whole price is reserved now; only successes are charged.',
  auth: 'key',
  body: batchFields.extend({
    urls: z.array(z.string()).max(MAX_BATCH_INPUTS).optional().describe('For parsers: the pages.'),
    inputs: z
      .array(z.record(z.string(), z.unknown()))
      .max(MAX_BATCH_INPUTS)
      .optional()
      .describe('For prebuilt APIs: their parameters. For parsers: objects with url.'),
  }),
  upload: {
    parts: {
      target: { description: 'JSON.', binary: false, required: true },
      name: { description: 'Text.', binary: false, required: false },
      scrape_config: { description: 'JSON.', binary: false, required: false },
      sink: { description: 'JSON.', binary: false, required: false },
      webhook_url: { description: 'Text.', binary: false, required: false },
      dedupe: { description: 'true or false.', binary: false, required: false },
      dry_run: { description: 'true or false.', binary: false, required: false },
      max_credits: { description: 'Integer.', binary: false, required: false },
      file: { description: 'NDJSON or CSV, after the other parts.', binary: true, required: true },
    },
    bodyLimitBytes: MAX_BATCH_UPLOAD_BYTES,
  },
  bodyLimitBytes: MAX_BATCH_BODY_BYTES,
  answer: { kind: 'json', status: 202, schema: z.union([batchSchema, dryRunSchema]) },
  errors: [
    'insufficient_credits',
    'not_found',
    'idempotency_conflict',
    'body_too_large',
    'unsupported_media_type',
    'pending_limit',
  ],
  credits: 'scrape',
  creates: true,
  tool: 'create_batch',
});

export const listBatches = defineOperation({
  id: 'listBatches',
  method: 'GET',
  path: '/v1/batches',
  tag: 'Batches',
  summary: 'Batches of the account, newest first.',
  auth: 'key',
  query: listQuery.extend({ status: runStateField.optional() }),
  answer: { kind: 'json', status: 200, schema: listAnswer('batches', batchSchema) },
  errors: [],
  fairShare: 'call',
});

export const getBatch = defineOperation({
  id: 'getBatch',
  method: 'GET',
  path: '/v1/batches/{id}',
  tag: 'Batches',
  summary: 'One batch with its counts.',
  auth: 'key',
  params: batchParams,
  answer: { kind: 'json', status: 200, schema: batchSchema },
  errors: ['not_found'],
  tool: 'get_batch',
});

const pageQuery = z.strictObject({
  cursor: z.string().max(500).optional().describe('The `cursor` of the page before.'),
  limit: queryNumber(z.int().min(1).max(100)).default(100),
});

const cursorField = z
  .string()
  .optional()
  .describe('Pass it as `cursor` to get the next page; absent on the last one.');

const resultsCursorField = z
  .string()
  .optional()
  .describe(
    'Pass it as `cursor` to get the next page; absent when the batch has ended and everything was read.',
  );

export const getBatchResults = defineOperation({
  id: 'getBatchResults',
  method: 'GET',
  path: '/v1/batches/{id}/results',
  tag: 'Batches',
  summary: 'Results of a batch in the order of its inputs; successes alone.',
  description:
    'While the batch runs, a page ends before the first input that has not ended, and may be empty; `cursor` is there until the batch has ended and everything was read, so a walk misses nothing. Wait a little after an empty page.',
  auth: 'key',
  params: batchParams,
  query: pageQuery,
  answer: {
    kind: 'json-text',
    status: 200,
    schema: z.object({
      results: z.array(
        z.object({
          url: z
            .string()
            .describe('The input; of a prebuilt API’s input its address, or the call that gives the same.'),
          input: z.record(z.string(), z.unknown()).optional().describe('The parameters, for prebuilt APIs.'),
          data: z.unknown().describe('What the target extracted.'),
        }),
      ),
      cursor: resultsCursorField,
    }),
  },
  errors: ['not_found', 'batch_writes_to_database'],
  tool: 'get_batch_results',
});

export const getBatchFailures = defineOperation({
  id: 'getBatchFailures',
  method: 'GET',
  path: '/v1/batches/{id}/failures',
  tag: 'Batches',
  summary: 'Failed inputs of a batch, and their causes.',
  auth: 'key',
  params: batchParams,
  query: pageQuery,
  answer: {
    kind: 'json',
    status: 200,
    schema: z.object({
      causes: z
        .array(
          z.object({
            error: z.string(),
            count: z.int(),
            example: z.object({
              url: z.string(),
              input: z.record(z.string(), z.unknown()).optional(),
              detail: z.string().optional(),
            }),
          }),
        )
        .describe('All failures grouped by cause, most frequent first; on the first page only.')
        .optional(),
      failures: z.array(
        z.object({
          url: z.string(),
          input: z.record(z.string(), z.unknown()).optional(),
          error: z.string().describe('Stable text of the error catalogue.'),
          detail: z.string().optional(),
          attempts: z.int(),
        }),
      ),
      cursor: cursorField,
    }),
  },
  errors: ['not_found', 'concurrency_limit_exceeded'],
  fairShare: 'call',
});

export const exportBatch = defineOperation({
  id: 'exportBatch',
  method: 'GET',
  path: '/v1/batches/{id}/export',
  tag: 'Batches',
  summary: 'All results as one stream of NDJSON or CSV.',
  description:
    'Of a batch that still runs, what has succeeded so far: export again when it has finished. In CSV nested values are JSON text, and cells that a spreadsheet would run as a formula begin with an apostrophe.',
  auth: 'key',
  params: batchParams,
  query: z.strictObject({ format: z.enum(['ndjson', 'csv']).default('ndjson') }),
  answer: { kind: 'stream', status: 200, contentTypes: ['application/x-ndjson', 'text/csv'] },
  errors: ['not_found', 'batch_writes_to_database', 'concurrency_limit_exceeded'],
});

export const watchBatch = defineOperation({
  id: 'watchBatch',
  method: 'GET',
  path: '/v1/batches/{id}/events',
  tag: 'Batches',
  summary: 'Progress as server-sent events.',
  description:
    'An event `progress` with the batch at once and whenever its counts change, `finished` at the end, then the stream closes. With Last-Event-ID a state that the client knows is not sent again, but for the end.',
  auth: 'key',
  params: batchParams,
  answer: { kind: 'events', status: 200, schema: batchSchema },
  errors: ['not_found', 'concurrency_limit_exceeded'],
});

export const cancelBatch = defineOperation({
  id: 'cancelBatch',
  method: 'POST',
  path: '/v1/batches/{id}/cancel',
  tag: 'Batches',
  summary: 'Cancel a batch: running tasks stop, its reservation is given back at once.',
  auth: 'key',
  params: batchParams,
  answer: { kind: 'json', status: 200, schema: batchSchema },
  errors: ['not_found', 'already_finished'],
});

export const retryBatch = defineOperation({
  id: 'retryBatch',
  method: 'POST',
  path: '/v1/batches/{id}/retry',
  tag: 'Batches',
  summary: 'Run the failed inputs of a batch again.',
  description:
    'Their price is reserved again. With `max_credits` as many run again, in input order, as it still pays for beside those that have not ended; the others stay failed. Without anything to run again it is refused with the reason.',
  auth: 'key',
  params: batchParams,
  body: z.strictObject({
    cancelled: z
      .boolean()
      .optional()
      .describe('Also run the inputs that were cancelled. Only once the batch has ended. Default false.'),
  }),
  answer: { kind: 'json', status: 202, schema: batchSchema },
  errors: [
    'insufficient_credits',
    'not_found',
    'already_finished',
    'in_use',
    'idempotency_conflict',
    'pending_limit',
  ],
  creates: true,
});
