import { GIVE_PAGE, hasPage, PAGE_ERRORS } from './page-errors.ts';
import { z } from 'zod';
import { operationsOf, json } from '../define-operation.ts';
import { fieldName } from '../parser-schema/field-name.ts';
import { PARSER_SCHEMA_LIMITS } from '../parser-schema/limits.ts';
import { scrapeConfigSchema } from '../fetching/scrape-config.ts';
import { targetUrlField } from '../fetching/target-url.ts';

const define = operationsOf({ tag: 'Parsers', auth: 'key' });

/** Pages that one suggestion learns from. */
export const MAX_SUGGEST_PAGES = 5;

const scalarExample = z.union([z.string().max(20_000), z.number(), z.boolean(), z.null()]);
const rowExample = z.record(fieldName, scalarExample);
const listExample = z.array(z.union([scalarExample, rowExample])).max(200);
const groupExample = z.record(fieldName, z.union([scalarExample, listExample]));
const exampleField = z.union([scalarExample, listExample, groupExample]);

/** Example values of one page by field name. */
export const examplesSchema = z
  .record(fieldName, exampleField)
  .refine((examples) => Object.keys(examples).length <= PARSER_SCHEMA_LIMITS.fieldsPerLevel, {
    message: `gives more than ${PARSER_SCHEMA_LIMITS.fieldsPerLevel} fields`,
  })
  .describe(
    'Values by field name: a text as a person sees it, a number in any form, an attribute’s value, null where the page has none; a list of values, or of objects for rows (two are enough); an object for a group. A field that is left out is not known on this page.',
  );

export const confidenceField = z
  .number()
  .describe('From 0 to 1: the estimated chance of a right value on the site’s other pages.');

const suggestedField = z.object({
  path: z.string().describe('`price`, and `items.price` for a column of a list.'),
  confidence: confidenceField,
  reason: z.string().describe('Why this way was chosen, or why none was.'),
  alternatives: z
    .array(z.object({ field: z.unknown(), reason: z.string(), confidence: confidenceField }))
    .describe('Up to five other ways to read the field, best first.'),
  missed: z
    .array(z.object({ page: z.int().describe('Position in `pages`, from 0.'), reason: z.string() }))
    .describe('Pages whose example the schema does not give.'),
});

export const suggestParser = define('suggestParser', 'POST /v1/parsers/suggest', {
  summary: 'Suggest an extraction schema from pages and example values.',
  description:
    'Without examples it proposes the first page’s repeated records and main facts. A page with `html` is free, one with `url` costs what a scrape costs. It stores nothing: create a parser with the answer’s `schema`.',
  body: z.strictObject({
    pages: z
      .array(
        z
          .strictObject({
            html: z.string().min(1).optional().describe('The page, at most 16 MB.'),
            url: targetUrlField
              .optional()
              .describe('Page to fetch; with `html`: the address that it came from.'),
            examples: examplesSchema.optional(),
          })
          .refine(hasPage, GIVE_PAGE),
      )
      .min(1)
      .max(MAX_SUGGEST_PAGES),
    scrape_config: scrapeConfigSchema.optional().describe('How pages with `url` are fetched.'),
  }),
  bodyLimitBytes: 64 * 1024 * 1024,
  answer: json(
    z.object({
      schema: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('The extraction schema; null when no field was found.'),
      fields: z.array(suggestedField),
    }),
  ),
  errors: PAGE_ERRORS,
  credits: 'scrape',
});
