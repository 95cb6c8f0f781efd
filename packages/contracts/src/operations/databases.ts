import { z } from 'zod';
import {
  changedSlugField,
  listAnswer,
  searchQuery,
  nameField,
  nullIsAbsent,
  paginationField,
  queryBoolean,
  queryNumber,
  timestampField,
  refField,
  shownSlugField,
  slugField,
} from '../fields.ts';
import {
  checkExport,
  columnsField,
  EXPORT_TYPES,
  exportBody,
  exportFields,
  exportLinkAnswer,
} from '../runs/export-format.ts';
import { operationsOf, created, json } from '../define-operation.ts';
import { DATABASE_KINDS, MISSING_RULES } from '../values/index.ts';

const define = operationsOf({ tag: 'Databases', auth: 'key' });

const columnSchema = z.object({
  name: z.string(),
  type: z.string().describe('Postgres type.'),
  nullable: z.boolean(),
});

export const tableSchema = z.object({
  name: z.string(),
  columns: z.array(columnSchema),
  key: z
    .array(z.string())
    .describe('Columns that identify a row; empty when the table has no unique key without nulls.'),
  rows: z
    .int()
    .nullable()
    .describe('Number of rows: exact up to 100,000, beyond that an estimate; null without one.'),
  rows_exact: z.boolean(),
  history: z
    .object({
      volatile: z.array(z.string()).describe('Columns that alone make no change.'),
      missing: z.enum(MISSING_RULES),
    })
    .nullable()
    .describe('What the table keeps of its changes; null when it keeps none.'),
});

export const databaseSchema = z.object({
  id: z.string(),
  slug: shownSlugField,
  name: z.string(),
  kind: z.enum(DATABASE_KINDS),
  schema: z
    .string()
    .nullable()
    .describe('Postgres schema that holds the tables; null for an external database.'),
  host: z.string().nullable().describe('host:port/database of an external database; the URL is never shown.'),
  created_at: timestampField,
  updated_at: timestampField,
});

const databaseWithTables = databaseSchema.extend({
  tables: z.array(tableSchema).nullable().describe('Null when an external database does not respond.'),
  problem: z.string().nullable().describe('Why the tables are unknown.'),
});

const connectionUrl = z
  .string()
  .min(1)
  .max(2000)
  .describe('postgres://user:password@host:port/database?sslmode=… Stored encrypted, never shown again.');

const params = z.strictObject({ id: refField('database') });
const tableParams = z.strictObject({
  id: refField('database'),
  table: z.string().min(1).max(63).describe('Name of the table.'),
});

const requiredFilter = z.string().max(8000).meta({
  contentMediaType: 'application/json',
  description:
    'JSON object: column → value or operators; all must match: {"brand": "Acme", "price": {"gte": 10, "lt": 20}}. Operators: eq, ne, lt, lte, gt, gte, in, contains, starts_with, is_null.',
});
const filterField = requiredFilter.optional();
/** In a body it may be the object itself. */
const bodyFilter = z
  .union([requiredFilter, z.record(z.string(), z.unknown()).transform((filter) => JSON.stringify(filter))])
  .optional();

export const createDatabase = define('createDatabase', 'POST /v1/databases', {
  summary: 'Create a database for rows: managed, or your own Postgres.',
  body: z.discriminatedUnion('kind', [
    z.strictObject({ name: nameField, slug: nullIsAbsent(slugField), kind: z.literal('managed') }),
    z.strictObject({
      name: nameField,
      slug: nullIsAbsent(slugField),
      kind: z.literal('postgres'),
      connection_url: connectionUrl,
    }),
  ]),
  answer: created(databaseSchema),
  errors: ['name_taken', 'plan_limit_exceeded'],
  fairShare: 'call',
  creates: true,
});

export const listDatabases = define('listDatabases', 'GET /v1/databases', {
  summary: 'Databases of the account, newest first.',
  query: searchQuery,
  answer: json(listAnswer('databases', databaseSchema)),
  tool: 'list_databases',
});

export const getDatabase = define('getDatabase', 'GET /v1/databases/{id}', {
  summary: 'One database with its tables, columns, types and row counts.',
  params,
  answer: json(databaseWithTables),
  fairShare: 'call',
});

export const updateDatabase = define('updateDatabase', 'PUT /v1/databases/{id}', {
  summary: 'Rename a database, or change the connection of an external one.',
  params,
  body: z.strictObject({
    name: nameField.optional(),
    slug: changedSlugField,
    connection_url: connectionUrl.optional(),
  }),
  answer: json(databaseSchema),
  errors: ['name_taken'],
  fairShare: 'call',
});

export const deleteDatabase = define('deleteDatabase', 'DELETE /v1/databases/{id}', {
  summary:
    'Delete a database. A managed one is dropped with its tables and login; for an external one only the connection is deleted.',
  params,
  answer: { kind: 'empty', status: 204 },
  errors: ['in_use'],
  fairShare: 'call',
});

export const listRows = define('listRows', 'GET /v1/databases/{id}/tables/{table}/rows', {
  summary: 'Rows of a table, filtered, sorted and in pages.',
  params: tableParams,
  query: z.strictObject({
    cursor: z.string().max(8000).optional().describe('The `pagination.cursor` of the previous page.'),
    limit: queryNumber(z.int().min(1).max(100)).default(20),
    order_by: z
      .string()
      .max(64)
      .optional()
      .describe(
        'A column; `-column` descends. Nulls come last. Default: the key. Texts count by their first 256 characters, in managed databases with numbers by value.',
      ),
    filter: filterField,
    columns: columnsField,
  }),
  answer: json(
    z.object({
      rows: z.array(z.record(z.string(), z.unknown())),
      pagination: paginationField,
    }),
  ),
  fairShare: 'call',
  tool: 'query_rows',
});

/** The most rows that one call deletes: more would keep their locks for seconds. */
export const MAX_DELETED_ROWS = 100_000;

export const deleteRows = define('deleteRows', 'DELETE /v1/databases/{id}/tables/{table}/rows', {
  summary: 'Delete the rows of a table that match a filter.',
  description:
    'Ask with `dry_run=true` how many match, and repeat the number in `count`: with another one nothing is deleted (409). One statement deletes all of them, at most 100,000.',
  params: tableParams,
  query: z
    .strictObject({
      filter: requiredFilter,
      count: queryNumber(z.int().min(0).max(MAX_DELETED_ROWS)).optional().describe('How many rows match.'),
      dry_run: queryBoolean.default(false).describe('Only answer how many rows match.'),
    })
    .refine(({ count, dry_run: isDry }) => isDry || count !== undefined, {
      path: ['count'],
      message: 'is required: `dry_run=true` answers it',
    }),
  answer: json(
    z.object({ count: z.int().describe('Rows that match with `dry_run`, else rows that were deleted.') }),
  ),
  errors: ['count_changed'],
  fairShare: 'call',
});

export const exportTable = define('exportTable', 'GET /v1/databases/{id}/tables/{table}/export', {
  summary: 'The whole table as a stream of NDJSON, CSV, Parquet or xlsx, in the order of its key.',
  description:
    'In CSV, a text cell that a spreadsheet would run as a formula gets a leading apostrophe, plain numbers do not, and nothing does with `formulas=keep`. Parquet has the types of the columns. An xlsx has at most 100,000 rows and 64 MB unpacked, and its texts are never formulas.',
  params: tableParams,
  query: z
    .strictObject({
      ...exportFields,
      columns: columnsField,
      filter: filterField,
    })
    .superRefine(checkExport),
  answer: { kind: 'stream', status: 200, contentTypes: EXPORT_TYPES },
  fairShare: 'each-page',
});

export const createTableLink = define(
  'createTableLink',
  'POST /v1/databases/{id}/tables/{table}/export-link',
  {
    summary: 'A secret address from which anyone downloads the table for a day.',
    description:
      'Each download has the rows of its moment. The link ends with the key that made it, the table and the account.',
    params: tableParams,
    body: z
      .strictObject({ ...exportBody, columns: columnsField, filter: bodyFilter })
      .superRefine(checkExport),
    answer: exportLinkAnswer,
    errors: ['plan_limit_exceeded'],
    fairShare: 'call',
    creates: true,
    showsSecret: true,
  },
);

export const dropTable = define('dropTable', 'DELETE /v1/databases/{id}/tables/{table}', {
  summary: 'Drop a table and its rows.',
  params: tableParams,
  answer: { kind: 'empty', status: 204 },
  errors: ['in_use'],
  fairShare: 'call',
});

export const createDatabaseCredentials = define(
  'createDatabaseCredentials',
  'POST /v1/databases/{id}/credentials',
  {
    summary: 'Create a read-only Postgres login for one managed database, for BI tools.',
    description: 'Calling it again gives the login a new password; the old one stops working.',
    params,
    answer: created(
      z.object({
        host: z.string(),
        port: z.int(),
        database: z.string(),
        schema: z.string(),
        user: z.string(),
        password: z.string().describe('Shown once.'),
        connection_url: z.string(),
      }),
    ),
    creates: true,
    showsSecret: true,
  },
);
