import { z } from 'zod';
import { identifierField, refField } from '../fields.ts';
import { DRIFT_RULES, isSinkType, MISSING_RULES, NULL_RULES, SINK_CONTRACTS } from '../values/index.ts';

/** What a table keeps of its changes. */
const historyFields = {
  history: z
    .boolean()
    .optional()
    .describe('Keep the changes of the table, which this sink makes: `GET …/changes` reads them.'),
  volatile: z
    .array(identifierField)
    .max(1_000)
    .optional()
    .describe('Columns that alone make no change, such as a count of visitors.'),
  missing: z
    .enum(MISSING_RULES)
    .optional()
    .describe(
      'What becomes of rows that their pages give no more: `mark` sets `_removed_at`, `delete` deletes them.',
    ),
  expect: z
    .strictObject({
      removed: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe(
          'Removals of more than this share of the rows that earlier runs gave wait for you. Default 0.3.',
        ),
    })
    .optional()
    .describe('What a run may do to the table without being asked.'),
};

export const returnSink = z.strictObject({
  mode: z.literal('return').describe('Results are kept for 24 hours and read through the API.'),
});

export const databaseSink = z.strictObject({
  mode: z.literal('database').describe('Each result is written as rows of a table.'),
  database: refField('database'),
  // Postgres finds no name for the array type of this one.
  table: identifierField
    .refine((name) => !/^_{63}$/.test(name), 'must contain a letter or a digit')
    .refine(
      (name) => !name.startsWith('_gleaner_'),
      'must not begin with _gleaner_, which names tables of ours',
    )
    .describe('Table name; the table is created on first write.'),
  key: z
    .array(identifierField)
    .min(1)
    .max(16)
    .optional()
    .describe(
      'Columns that identify a row: a later row with the same key updates the earlier one. Default: the parser’s fields with `key`, else `_url`; for prebuilt APIs their natural identifier.',
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
    .enum(SINK_CONTRACTS)
    .default('evolve')
    .describe(
      'How a field without a column is handled: evolve adds the column, freeze fails the task, discard omits the field.',
    ),
  nulls: z
    .enum(NULL_RULES)
    .default('keep')
    .describe(
      'keep: a null never overwrites a value; overwrite: the new row replaces the old one, with its nulls.',
    ),
  types: z
    .record(
      identifierField,
      z
        .string()
        .refine(isSinkType, 'must be a type like varchar(200), numeric(10,2), timestamp, uuid or text[]'),
    )
    .optional()
    .describe('Types of new columns: `{"price": "numeric(10,2)"}`.'),
  ...historyFields,
  on_drift: z
    .enum(DRIFT_RULES)
    .optional()
    .describe(
      'When the parser seems broken: quarantine holds suspect rows back and does not write them; pause also stops the run or the cron. Default: rows are written.',
    ),
});

/** The destination of a run's results. */
export const sinkSchema = z
  .discriminatedUnion('mode', [returnSink, databaseSink])
  .describe('Where results go: kept for the API, or written as rows of your database.');

export type Sink = z.output<typeof sinkSchema>;
export type DatabaseSink = Extract<Sink, { mode: 'database' }>;

/** A sink as records show it. */
export const shownSinkSchema = z
  .record(z.string(), z.unknown())
  .describe('Where the results go, as submitted.');
