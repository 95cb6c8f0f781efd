import { z } from 'zod';
import { PARSER_SCHEMA_LIMITS as LIMITS } from './limits.ts';
import { transformSchema } from './transform.ts';

const selectorText = z.string().trim().min(1).max(LIMITS.selectorLength);

export const selectorsField = z.union([selectorText, z.array(selectorText).min(1).max(LIMITS.fallbacks)]);

export const jsonSourceSchema = z.strictObject({
  script: selectorText
    .optional()
    .describe(
      'CSS selector of the script, or `/regex/` that finds where the data starts in any script. Left out inside a field that matched JSON.',
    ),
  path: selectorText.describe('JSONPath (RFC 9535) into the data.'),
});

export const PAGE_FACTS = ['url', 'final_url', 'status', 'fetched_at'] as const;

/** The keys that say where a value comes from; a field or source has at most one of them. */
export const SOURCE_KINDS = ['css', 'xpath', 'jsonld', 'microdata', 'json', 'meta', 'const', 'page'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** The source keys, shared by fields and by the entries of `any`. */
export const sourceShape = {
  css: selectorsField
    .optional()
    .describe('CSS selector, or selectors tried in order until one matches. `sel@attr` takes an attribute.'),
  xpath: selectorsField.optional().describe('XPath 3.1, or several tried in order until one matches.'),
  jsonld: selectorText
    .optional()
    .describe('JSONPath into the JSON-LD of the page: `$` is the array of all blocks, @graph flattened.'),
  microdata: selectorText
    .optional()
    .describe('JSONPath into the microdata of the page: `$` is the array of its top items.'),
  json: jsonSourceSchema.optional().describe('Data embedded in a script or attribute.'),
  meta: selectorText.optional().describe('Name, property, itemprop or http-equiv of a meta tag: `og:title`.'),
  const: z
    .union([z.string().max(LIMITS.textLength), z.number(), z.boolean()])
    .optional()
    .describe('A constant.'),
  page: z.enum(PAGE_FACTS).optional().describe('A fact of the fetch.'),
};

export const attrField = z
  .string()
  .regex(/^[A-Za-z_][\w:.-]{0,99}$/, 'must be an attribute name, html, inner_html or own_text')
  .optional()
  .describe('Attribute to take instead of the text; `html`, `inner_html` and `own_text` are special.');

export const localeField = z
  .string()
  .regex(/^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$/, 'must be a language tag like de or pt-BR')
  .optional()
  .describe('How numbers and dates are written: a language tag like `de` or `en-GB`.');

export const formatField = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Pattern of dates: `dd.MM.yyyy HH:mm`, with quotes around literal text.');

export const anySourceSchema = z.union([
  selectorText.describe('A CSS selector; `sel@attr` takes an attribute.'),
  z
    .strictObject({
      ...sourceShape,
      attr: attrField,
      transform: transformSchema.optional(),
      locale: localeField,
      format: formatField,
    })
    .superRefine((source, context) => {
      const kinds = SOURCE_KINDS.filter((kind) => source[kind] !== undefined);
      if (kinds.length !== 1) {
        context.addIssue({ code: 'custom', message: `needs exactly one of ${SOURCE_KINDS.join(', ')}` });
      }
    }),
]);

export type AnySource = z.output<typeof anySourceSchema>;
