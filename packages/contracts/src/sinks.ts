import { z } from 'zod';
import { idField, identifierField } from './fields.ts';

/** Columns that every row of a sink has, beside the parser's own. */
export const META_COLUMNS = ['_url', '_fetched_at', '_run_id'] as const;

const returnSink = z.strictObject({
  mode: z.literal('return').describe('Results are kept for 24 hours and read through the API.'),
});

const databaseSink = z.strictObject({
  mode: z.literal('database').describe('Each result is written as rows of a table.'),
  database: idField('database'),
  table: identifierField.describe('Made on first write.'),
  key: z
    .array(identifierField)
    .min(1)
    .max(16)
    .optional()
    .describe(
      'Columns that tell rows apart: a later row with the same key updates the earlier one. Default: the fields that the parser marks with `key`, else `_url`; for prebuilt APIs their natural identifier.',
    ),
  rows: z
    .string()
    .regex(
      /^(\$\.)?[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62}){0,9}$/,
      'must be a path like `items`, `page.items` or `$.items`',
    )
    .optional()
    .describe('Path to a list of objects in the data: each element becomes one row.'),
  contract: z
    .enum(['evolve', 'freeze', 'discard'])
    .default('evolve')
    .describe(
      'What a field without a column does: evolve adds the column, freeze fails the task, discard leaves the field out.',
    ),
  nulls: z
    .enum(['keep', 'overwrite'])
    .default('keep')
    .describe('keep: a null never overwrites a value; overwrite: the row becomes what the page gave.'),
});

/** Where the rows of a run go. */
export const sinkSchema = z
  .discriminatedUnion('mode', [returnSink, databaseSink])
  .describe('Where results go: kept for the API to return, or rows of an owned database.');

export type Sink = z.output<typeof sinkSchema>;
export type DatabaseSink = Extract<Sink, { mode: 'database' }>;

/** A sink as records show it. */
export const shownSinkSchema = z.record(z.string(), z.unknown()).describe('Where the results go, as it was given.');
