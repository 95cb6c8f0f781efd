import { z } from 'zod';
import { PAGE_FACTS, SOURCE_KINDS, type SourceKind } from '../values/index.ts';
import { PARSER_SCHEMA_LIMITS as LIMITS } from './limits.ts';
import { transformSchema } from './transform.ts';

const selectorText = z.string().trim().min(1).max(LIMITS.selectorLength);

export const selectorsField = z.union([selectorText, z.array(selectorText).min(1).max(LIMITS.fallbacks)]);

export const jsonSourceSchema = z.strictObject({
  script: selectorText
    .optional()
    .describe(
      'CSS selector of the script, or a `/regex/` after which the data starts in any script. Without it, the page itself is JSON; inside a field that matched JSON, its value.',
    ),
  path: selectorText.describe('JSONPath (RFC 9535) into the data.'),
});

export const xhrSourceSchema = z.strictObject({
  url: selectorText.describe(
    'Address of the response; `*` matches any text. A pattern that starts with / is compared only with path and query.',
  ),
  path: selectorText.describe('JSONPath (RFC 9535) into the response.'),
});

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
  json: jsonSourceSchema
    .optional()
    .describe('Data embedded in a script or attribute, or a page that is JSON itself.'),
  xhr: xhrSourceSchema
    .optional()
    .describe('A JSON response that the page itself loaded. Only pages loaded in a browser have any.'),
  meta: selectorText.optional().describe('Name, property, itemprop or http-equiv of a meta tag: `og:title`.'),
  const: z
    .union([z.string().max(LIMITS.textLength), z.number(), z.boolean()])
    .optional()
    .describe('A constant.'),
  page: z
    .enum(PAGE_FACTS)
    .optional()
    .describe(
      'A fact about the page: its addresses, status and fetch time; its title and language; its text, HTML, main content as Markdown, links (a list), and the JSON responses that it loaded (a list; browser only); its text when it is JSON; how many pages a PDF has; a screenshot or PDF of a page in a browser, as an address that expires.',
    ),
} satisfies Record<SourceKind, z.ZodType>;

export const attrField = z
  .string()
  .regex(
    /^[A-Za-z_][\w:.-]{0,99}$/,
    'must be the name of an attribute such as href, or html, inner_html, own_text or raw_text',
  )
  .optional()
  .describe(
    'Attribute to read instead of the text. Special values: `html`, `inner_html`, `own_text` and `raw_text` (the DOM’s `textContent`).',
  );

export const localeField = z
  .string()
  .regex(/^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$/, 'must be a language tag such as de or pt-BR')
  .optional()
  .describe('Language of numbers and dates: a tag such as `de` or `en-GB`.');

export const formatField = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Format of dates: `dd.MM.yyyy HH:mm`, with quotes around literal text.');

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
        context.addIssue({
          code: 'custom',
          message: `has ${kinds.length === 0 ? 'no source' : `${kinds.length} sources (${kinds.join(', ')})`}: give exactly one of ${SOURCE_KINDS.join(', ')}`,
        });
      }
    }),
]);

/** Keys of an entry of `any`. */
export const sourceKeys: readonly string[] = [...SOURCE_KINDS, 'attr', 'transform', 'locale', 'format'];

export type AnySource = z.output<typeof anySourceSchema>;
