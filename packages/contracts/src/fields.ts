import { z } from 'zod';
import { toStorableTime } from './text/index.ts';
import { IDENTIFIER, IDENTIFIER_RULE, SLUG, type SluggedKind } from './values/index.ts';

/** Prefixes of identifiers: `<prefix>_<26 lower-case ULID characters>`. */
export const ID_PREFIXES = {
  account: 'acc',
  key: 'key',
  parser: 'prs',
  job: 'job',
  batch: 'bat',
  database: 'db',
  cron: 'crn',
  firing: 'fir',
  workflow: 'wfl',
  workflowRun: 'run',
  webhook: 'whk',
  alert: 'alr',
  delivery: 'dlv',
  request: 'req',
  worker: 'wrk',
  page: 'pag',
  sample: 'smp',
  oauthSubject: 'sub',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Identifiers are opaque to clients. Any short text is looked up, so a malformed one gives 404 like an unknown one. */
export function idField(what: string) {
  return z.string().min(1).max(80).describe(`Identifier of the ${what}.`);
}

/** The kind that a field names, for those made by `refField`. */
export const refKinds = z.registry<{ kind: SluggedKind }>();

/** The id or the slug of a resource, in an input. A call replaces a slug by the id before the operation runs. */
export function refField(kind: SluggedKind) {
  return z.string().min(1).max(80).describe(`Id or slug of the ${kind}.`).register(refKinds, { kind });
}

export const slugField = z
  .string()
  .regex(SLUG, 'must be lower-case letters, digits and hyphens, at most 63, and start with a letter')
  .describe('Your own name for it, in place of the id.');

/** A slug in a change: null removes it. */
export const changedSlugField = slugField.nullable().optional();

/** A slug in a record. */
export const shownSlugField = z.string().nullable().describe('Stands wherever the id can.');

export const timestampField = z.iso.datetime({ precision: 3 }).describe('ISO 8601, UTC, milliseconds.');

const TIMES = [z.regexes.datetime({ offset: true, local: false }), z.regexes.date] as const;

/** A time that a caller gave, as we write times; undefined when it is none. */
function readTime(text: string): string | undefined {
  const upper = text.toUpperCase();
  return TIMES.some((form) => form.test(upper)) ? toStorableTime(new Date(upper)) : undefined;
}

/** A time in a request: RFC 3339, or a date, which is its midnight in UTC. It is read as `timestampField` is written. */
export const timeField = z
  .string()
  .refine(
    (text) => readTime(text) !== undefined,
    'must be a time like 2026-01-31T06:30:00Z or 2026-01-31T07:30:00+01:00, or a date like 2026-01-31',
  )
  .overwrite((text) => readTime(text) ?? text)
  .meta({ format: 'date-time', description: 'RFC 3339, or a date: its midnight in UTC.' });

export const nameField = z.string().trim().min(1).max(200);

/** The greatest `integer` of Postgres. */
export const MAX_INTEGER = 2_147_483_647;

/** The number of a parser's version. */
export const versionField = z.int().min(1).max(MAX_INTEGER);

/** A name that becomes a table, column or schema field. */
export const identifierField = z.string().regex(IDENTIFIER, IDENTIFIER_RULE);

const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/;

/** A field that records show as null when it is not set: null is the same as leaving it out. */
export function nullIsAbsent<S extends z.ZodType>(schema: S) {
  return schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();
}

/** A number that may arrive as text in a query or path. Only digits are accepted, so `0x10` and '' are invalid. */
export function queryNumber<S extends z.ZodType<number>>(schema: S) {
  const { $schema: _, ...bounds } = z.toJSONSchema(schema);
  return (
    z
      .preprocess(
        (value) => (typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value),
        schema,
      )
      // OpenAPI needs this description, because a preprocessed schema has none.
      .meta(bounds)
  );
}

export const listQuery = z.strictObject({
  cursor: z.string().max(500).optional().describe('The `pagination.cursor` of the previous page.'),
  limit: queryNumber(z.int().min(1).max(100)).default(20),
});

export type ListQuery = z.output<typeof listQuery>;

/** A list of things with names. */
export const searchQuery = listQuery.extend({
  search: z
    .string()
    .max(200)
    .optional()
    .describe('Only those whose name has this text, or with this id or slug.'),
});

export const paginationField = z.object({
  cursor: z.string().nullable().describe('Pass it as `cursor` to get the next page; null on the last one.'),
  has_more: z.boolean(),
});

/** `{"<plural>": […], "pagination": {…}}` */
export function listAnswer<K extends string, S extends z.ZodType>(plural: K, item: S) {
  return z.object({ [plural]: z.array(item), pagination: paginationField } as {
    [P in K]: z.ZodArray<S>;
  } & { pagination: typeof paginationField });
}

/** `true` or `false` in a query string. */
export const queryBoolean = z.union(
  [z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1'), z.boolean()],
  'must be true or false',
);

/**
 * An unchecked extraction schema. `checkSchema` of the extractors reports the position of each fault, which a union of
 * zod objects can't.
 */
export const schemaField = z
  .record(z.string(), z.unknown())
  .meta({ id: 'ParserSchema', description: 'An extraction schema; its language is at /v1/schemas/parser.' });
