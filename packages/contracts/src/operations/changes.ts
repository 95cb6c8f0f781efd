import { z } from 'zod';
import { identifierField, paginationField, queryNumber, refField, timestampField } from '../fields.ts';
import { operationsOf, json, jsonOr } from '../define-operation.ts';
import { CHANGE_FORMATS, CHANGE_KINDS, MISSING_RULES } from '../values/index.ts';
import { tableSchema } from './databases.ts';

const define = operationsOf({ tag: 'Databases', auth: 'key' });

const params = z.strictObject({
  id: refField('database'),
  table: z.string().min(1).max(63).describe('Name of the table.'),
});

const valuesField = z.record(z.string(), z.unknown());

export const changeSchema = z.object({
  id: z.string().describe('Rises from change to change of a table.'),
  kind: z.enum(CHANGE_KINDS),
  key: valuesField.describe('The row’s key, whole.'),
  at: timestampField.describe('When the page was fetched that showed it.'),
  run_id: z.string().nullable(),
  before: valuesField
    .optional()
    .describe('changed: the earlier values of the columns that differ; removed: the whole last row.'),
  after: valuesField.optional().describe('changed: their new values.'),
  row: valuesField
    .optional()
    .describe('new, returned: the whole row. A text of more than 65,536 bytes is `{bytes, sha256}`.'),
});

/** Change kinds, with commas between them. */
const kindsField = z
  .string()
  .max(100)
  .optional()
  .transform((text, context) => {
    if (text === undefined) return undefined;
    const kinds = text.split(',').map((kind) => kind.trim());
    const unknown = kinds.find((kind) => !CHANGE_KINDS.some((known) => known === kind));
    if (unknown === undefined) return CHANGE_KINDS.filter((kind) => kinds.includes(kind));
    context.addIssue({
      code: 'custom',
      message: `${unknown} is no kind of change: ${CHANGE_KINDS.join(', ')}`,
    });
    return z.NEVER;
  })
  .describe('Only these kinds, with commas between them: new, changed, removed, returned.');

export const updateTable = define('updateTable', 'PUT /v1/databases/{id}/tables/{table}', {
  summary:
    'Keep the changes of a table, or stop; say which columns make none and what becomes of missing rows.',
  description:
    'Turning the history on writes nothing: changes begin with the next rows. `cursor` is the feed’s end. Turning it off ends the feed and its cursors.',
  params,
  body: z.strictObject({
    history: z.boolean().optional(),
    volatile: z.array(identifierField).max(1_000).optional(),
    missing: z.enum(MISSING_RULES).optional(),
  }),
  answer: json(
    tableSchema.extend({
      cursor: z
        .string()
        .nullable()
        .describe('The end of the feed, for `after` of `GET …/changes`; null without history.'),
    }),
  ),
  errors: ['plan_limit_exceeded'],
  fairShare: 'call',
});

export const getChanges = define('getChanges', 'GET /v1/databases/{id}/tables/{table}/changes', {
  summary: 'What changed in a table, oldest first, in the order of commits.',
  description:
    'Without `after` it begins at the oldest change that is kept. An empty page may have another cursor. After 410, begin anew: `after=now`, then the export, then fold from that cursor.',
  params,
  query: z.strictObject({
    after: z
      .string()
      .max(1_000)
      .optional()
      .describe('The `cursor` of an earlier answer; `now`: from here on.'),
    before: z
      .string()
      .max(1_000)
      .optional()
      .describe('Newest first instead: `now`, then the `cursor` of the answer; an equal one is the end.'),
    limit: queryNumber(z.int().min(1).max(1_000)).default(100),
    kinds: kindsField,
    format: z
      .enum(CHANGE_FORMATS)
      .default('json')
      .describe(
        'ndjson: a line for each change, with its `cursor`, until the feed’s end; with `wait` until nothing has come for so long. csv: a line for each value. atom: the newest changes, for feed readers.',
      ),
    wait: queryNumber(z.number().min(0).max(30))
      .default(0)
      .describe('Seconds for which an answer without changes waits for one.'),
  }),
  answer: jsonOr(z.object({ changes: z.array(changeSchema), cursor: z.string() }), [
    'application/x-ndjson',
    'text/csv',
    'application/atom+xml',
  ]),
  errors: ['cursor_expired'],
  tool: 'get_changes',
});

export const getRowHistory = define('getRowHistory', 'GET /v1/databases/{id}/tables/{table}/history', {
  summary: 'The kept changes of one row, oldest first.',
  params,
  query: z.strictObject({
    key: z.string().min(2).max(8_000).meta({
      contentMediaType: 'application/json',
      description: 'JSON object with the columns of the key: {"sku": "A-1"}.',
    }),
    cursor: z.string().max(1_000).optional().describe('The `pagination.cursor` of the previous page.'),
    limit: queryNumber(z.int().min(1).max(100)).default(20),
  }),
  answer: json(z.object({ changes: z.array(changeSchema), pagination: paginationField })),
  fairShare: 'call',
});
