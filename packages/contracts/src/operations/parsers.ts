import { GIVE_PAGE, hasPage, PAGE_ERRORS } from './page-errors.ts';
import { z } from 'zod';
import {
  changedSlugField,
  idField,
  listAnswer,
  listQuery,
  searchQuery,
  nameField,
  nullIsAbsent,
  queryBoolean,
  queryNumber,
  timestampField,
  refField,
  schemaField,
  shownSlugField,
  slugField,
  versionField,
} from '../fields.ts';
import { OUTPUT_FORMATS } from '../values/index.ts';
import { operationsOf, created, json, rawJson } from '../define-operation.ts';
import { scrapeConfigSchema } from '../fetching/scrape-config.ts';
import { targetUrlField } from '../fetching/target-url.ts';

const define = operationsOf({ tag: 'Parsers', auth: 'key' });
const definePublic = operationsOf({ tag: 'Catalogue', auth: 'public' });

export const parserRecordSchema = z
  .object({
    id: idField('parser'),
    slug: shownSlugField,
    name: nameField,
    description: z.string().nullable(),
    schema: schemaField,
    version: z.int().describe('Number of the current version, from 1.'),
    scrape_config: scrapeConfigSchema,
    created_at: timestampField,
    updated_at: timestampField,
  })
  .meta({ id: 'Parser' });

export type ParserRecord = z.output<typeof parserRecordSchema>;

/** A parser in a list: a schema may be long. */
const listedParserSchema = parserRecordSchema
  .omit({ schema: true })
  .extend({ fields: z.array(z.string()).describe('Names of its fields; getParser gives the schema.') })
  .meta({ id: 'ListedParser' });

export const changesField = z
  .array(
    z.object({
      sample: idField('sample'),
      url: z.string().nullable(),
      field: z.string(),
      before: z.unknown(),
      after: z.unknown(),
      expected: z.unknown().optional().describe('Absent when the sample has no expectation for the field.'),
    }),
  )
  .describe('What the new version reads differently on the samples, field by field.');

const parserParams = z.strictObject({ id: refField('parser') });
const sourceField = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .optional()
  .describe('Where the schema is kept, such as a repository; its version shows it.');
const descriptionField = z.string().max(2000).nullable().optional();

export const createParser = define('createParser', 'POST /v1/parsers', {
  summary: 'Create a parser.',
  body: z.strictObject({
    name: nameField,
    slug: nullIsAbsent(slugField),
    description: descriptionField,
    schema: schemaField,
    scrape_config: scrapeConfigSchema.optional(),
    source: sourceField,
  }),
  answer: created(parserRecordSchema),
  errors: ['name_taken'],
  creates: true,
  showsSecret: true,
  tool: 'create_parser',
});

export const listParsers = define('listParsers', 'GET /v1/parsers', {
  summary: 'Parsers of the account, newest first.',
  query: searchQuery,
  answer: json(listAnswer('parsers', listedParserSchema)),
  tool: 'list_parsers',
});

export const getParser = define('getParser', 'GET /v1/parsers/{id}', {
  summary: 'One parser.',
  params: parserParams,
  answer: json(parserRecordSchema),
  tool: 'get_parser',
});

export const getParserOutput = define('getParserOutput', 'GET /v1/parsers/{id}/output', {
  summary: 'The type of a parser’s answer, as JSON Schema, TypeScript, Python or SQL.',
  description: 'SQL is the table that a sink makes.',
  params: parserParams,
  query: z.strictObject({
    format: z.enum(OUTPUT_FORMATS).default('json-schema'),
    version: queryNumber(versionField).optional().describe('Default: the current one.'),
  }),
  answer: {
    kind: 'stream',
    status: 200,
    contentTypes: ['application/schema+json', 'text/plain', 'text/x-python', 'application/sql'],
  },
});

export const updateParser = define('updateParser', 'PUT /v1/parsers/{id}', {
  summary: 'Change a parser; a changed schema makes a new version.',
  description: 'Absent fields stay unchanged. Running work keeps its version.',
  params: parserParams,
  body: z.strictObject({
    name: nameField.optional(),
    slug: changedSlugField,
    description: descriptionField,
    schema: schemaField.optional(),
    scrape_config: scrapeConfigSchema.optional(),
    source: sourceField,
    force: z.boolean().optional().describe('Save it even if it breaks a sample.'),
  }),
  answer: json(parserRecordSchema.extend({ changes: changesField })),
  errors: ['regression', 'name_taken', 'in_use'],
});

export const deleteParser = define('deleteParser', 'DELETE /v1/parsers/{id}', {
  summary: 'Delete a parser.',
  params: parserParams,
  answer: { kind: 'empty', status: 204 },
  errors: ['in_use'],
});

const versionSchema = z.object({
  version: z.int(),
  schema: schemaField,
  restored_from: z.int().nullable().describe('The version that this one restored.'),
  source: z.string().nullable().describe('Where the schema is kept, as it was saved with.'),
  is_current: z.boolean(),
  created_at: timestampField,
});

export const listParserVersions = define('listParserVersions', 'GET /v1/parsers/{id}/versions', {
  summary: 'Versions of a parser, newest first.',
  params: parserParams,
  query: listQuery,
  answer: json(listAnswer('versions', versionSchema)),
  errors: ['in_use'],
});

export const restoreParserVersion = define(
  'restoreParserVersion',
  'POST /v1/parsers/{id}/versions/{n}/restore',
  {
    stores: true,
    summary: 'Restore the schema of an earlier version as a new version.',
    params: z.strictObject({ id: refField('parser'), n: queryNumber(versionField) }),
    query: z.strictObject({
      force: queryBoolean.optional().describe('Restore it even if it breaks a sample.'),
    }),
    answer: json(parserRecordSchema.extend({ changes: changesField })),
    errors: ['regression', 'in_use'],
  },
);

export const compareParserVersions = define('compareParserVersions', 'POST /v1/parsers/{id}/compare', {
  summary: 'Compare two versions, or an unsaved schema, on the samples of a parser.',
  description: 'Saves nothing and is free. Saving a version makes the same comparison with the current one.',
  params: parserParams,
  body: z
    .strictObject({
      before: versionField.optional().describe('Version to compare with. Default: the current one.'),
      after: versionField.optional().describe('Version that is compared.'),
      schema: schemaField.optional().describe('Unsaved schema that is compared, in place of `after`.'),
    })
    .refine(({ after, schema }) => (after === undefined) !== (schema === undefined), {
      path: ['after'],
      message: 'give after or schema',
    }),
  answer: json(
    z.object({
      before: z.int(),
      after: z.int().nullable().describe('Null: the unsaved schema.'),
      samples: z.int().describe('Number of samples on which both were tried.'),
      changes: changesField,
      broken: z.int().describe('Number of changes that break an expectation.'),
    }),
  ),
  errors: ['in_use'],
  fairShare: 'call',
});

const fieldReportSchema = z.object({
  path: z.string(),
  matched: z
    .boolean()
    .describe('Whether a source matched, even if the value could not be converted to its type.'),
  value_count: z.int(),
  selector: z.string().nullable().describe('The source of the value.'),
  error: z.string().optional().describe('Why the field failed or a value was left out.'),
});

export const previewParser = define('previewParser', 'POST /v1/parsers/preview', {
  summary: 'Run a schema without saving it.',
  description:
    'Free with `html`; with `url` it costs the same as a scrape. A failed field is `null` in `data` and has an `error` in `fields`. Not charged when nothing on the page matched.',
  body: z
    .strictObject({
      schema: schemaField,
      html: z.string().min(1).optional(),
      url: targetUrlField.optional().describe('Page to fetch; with `html`: the address of the page.'),
      scrape_config: scrapeConfigSchema.optional(),
      explain: z.boolean().optional(),
    })
    .refine(hasPage, GIVE_PAGE),
  bodyLimitBytes: 64 * 1024 * 1024,
  answer: rawJson(
    z.object({
      data: z.record(z.string(), z.unknown()),
      fields: z.array(fieldReportSchema),
      hint: z
        .string()
        .optional()
        .describe('What to do when a field found nothing and the page looks as if scripts fill it.'),
      explain: z.unknown().optional(),
    }),
  ),
  errors: PAGE_ERRORS,
  credits: 'scrape',
  tool: 'preview_parser',
});

export const getParserLanguage = definePublic('getParserLanguage', 'GET /v1/schemas/parser', {
  summary: 'JSON Schema of the extraction schema language.',
  answer: json(z.record(z.string(), z.unknown())),
});

export const explainField = queryBoolean
  .optional()
  .describe('Add `explain`: for each field what was tried, each step, and why it is null.');
