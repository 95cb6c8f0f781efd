import { z } from 'zod';
import { refField, timestampField } from '../fields.ts';
import { accepted, json, operationsOf } from '../define-operation.ts';
import { databaseSink } from '../runs/sinks.ts';
import { KEEP_STATES } from '../values/index.ts';

const define = operationsOf({ tag: 'Batches', auth: 'key' });

const params = z.strictObject({ id: z.string().describe('Identifier of the batch.') });

const keepSchema = z.object({
  database: refField('database'),
  table: z.string(),
  status: z.enum(KEEP_STATES),
  results: z.int().describe('Results that were read so far.'),
  refused: z.int().describe('Results of which the table took no row.'),
  detail: z
    .string()
    .nullable()
    .describe('Why it failed, or why the table took no row of the last refused result.'),
  created_at: timestampField,
});

export const keepBatch = define('keepBatch', 'POST /v1/batches/{id}/keep', {
  summary: 'Keep the results of a batch without a database as rows of a table.',
  description:
    'Goes on in the background, and follows a batch that runs to its end. As the time of a fetch the rows have the start of the batch. Fails when the table took no row at all. Call it again with another sink when it has ended.',
  params,
  body: z.strictObject({
    sink: databaseSink.omit({ on_drift: true }).extend({ mode: databaseSink.shape.mode.default('database') }),
  }),
  answer: accepted(keepSchema),
  errors: ['batch_writes_to_database', 'in_use'],
  creates: true,
});

export const getBatchKeep = define('getBatchKeep', 'GET /v1/batches/{id}/keep', {
  summary: 'How far the results of a batch are kept as rows of a table.',
  params,
  answer: json(keepSchema),
});
