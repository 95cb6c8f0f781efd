import type { Field, Fields } from '@gleaner/contracts';
import { isObject } from '@gleaner/contracts/values';
import { z } from 'zod';
import { optional } from './parameters.ts';

const TEXT_FORMATS = ['markdown', 'html', 'rawHtml', 'links', 'screenshot', 'screenshot@fullPage'] as const;
/** Formats that a language model or a history of fetches would make. */
const NO_MODEL = 'can’t be made here: the formats are markdown, html, rawHtml, links, screenshot and json';

const JSON_SCHEMA =
  'must be a schema of selectors, {"fields": {…}}, not a JSON Schema: no language model takes part';

/** The size of the window in which pages are drawn. */
const WINDOW = { width: 1280, height: 800 };

/** The operations check what it holds. */
const selectorSchema = z
  .unknown()
  .refine((value) => isObject(value) && 'fields' in value, JSON_SCHEMA)
  .pipe(z.strictObject({ fields: z.record(z.string(), z.unknown()), allow_empty: z.boolean().optional() }));

const jsonFormat = z.strictObject({
  type: z.literal('json'),
  schema: selectorSchema,
  prompt: optional(z.never('needs a language model, and none takes part: give a schema of selectors')),
});

const screenshotFormat = z.strictObject({
  type: z.literal('screenshot'),
  fullPage: optional(z.boolean()),
  quality: z
    .unknown()
    .optional()
    .transform(() => undefined),
  viewport: optional(
    z
      .object({ width: z.number(), height: z.number() })
      .refine(
        ({ width, height }) => width === WINDOW.width && height === WINDOW.height,
        `must be ${WINDOW.width} × ${WINDOW.height}, the size of Gleaner’s window, or absent`,
      ),
  ),
});

/** A format as an object without further keys is the same as its name. */
const plainFormat = z
  .strictObject({ type: z.enum(['markdown', 'html', 'rawHtml', 'links']) })
  .transform(({ type }) => type);

const formatField = z.union(
  [z.enum(TEXT_FORMATS), plainFormat, jsonFormat, screenshotFormat],
  // The fault of the one format that is meant says more than that none fits.
  { error: () => NO_MODEL },
);

/** The format that a value means, so that a fault of its keys is named. */
function meantBy(value: unknown) {
  const type = isObject(value) ? value['type'] : undefined;
  if (type === 'json') return jsonFormat;
  return type === 'screenshot' ? screenshotFormat : formatField;
}

export const formatsField = optional(
  z
    .array(
      z.unknown().transform((value, context): z.output<typeof formatField> => {
        const parsed = meantBy(value).safeParse(value);
        if (parsed.success) return parsed.data;
        for (const { path, message } of parsed.error.issues)
          context.addIssue({ code: 'custom', path: path.map(String), message });
        return z.NEVER;
      }),
    )
    .max(20),
);

type Format = z.output<typeof formatField>;

/** Comments and elements that a cleaned page is without, in serialised HTML, where attributes have no `<` and `>`. */
const UNSEEN =
  '(?is)<!--.*?-->|<script\\b[^>]*>.*?</script>|<style\\b[^>]*>.*?</style>|<noscript\\b[^>]*>.*?</noscript>';

const WHOLE_HTML: Field = { css: 'body', attr: 'html', transform: [{ replace: [UNSEEN, ''] }] };

/** What every document says of its page. */
const METADATA: Fields = {
  title: { page: 'title' },
  description: { page: 'description' },
  language: { page: 'language' },
  author: { page: 'author' },
  published: { page: 'published' },
  modified: { page: 'modified' },
  image: { page: 'image' },
  final_url: { page: 'final_url' },
  status: { page: 'status', type: 'integer' },
};

/** A PDF has no elements, and its Markdown is whole. */
const WHOLE_MARKDOWN: Field = { any: [{ css: 'body' }, { page: 'markdown' }], type: 'markdown' };

function fieldOf(format: Format, isMainOnly: boolean): [name: string, field: unknown] {
  const name = typeof format === 'string' ? format : format.type;
  switch (name) {
    case 'markdown':
      return ['markdown', isMainOnly ? { page: 'markdown' } : WHOLE_MARKDOWN];
    case 'html':
      return ['html', isMainOnly ? { page: 'main_html' } : WHOLE_HTML];
    case 'rawHtml':
      return ['raw_html', { page: 'html' }];
    case 'links':
      return ['links', { page: 'links' }];
    case 'screenshot':
    case 'screenshot@fullPage':
      return ['screenshot', { page: 'screenshot' }];
    case 'json':
      return [
        'json',
        { fields: typeof format === 'object' && 'schema' in format ? format.schema.fields : {} },
      ];
  }
}

/** The schema that reads what the formats hold. Documents are made of its data alone (`toDocument`). */
export function schemaOf(
  formats: readonly Format[],
  isMainOnly: boolean,
): { fields: Record<string, unknown>; allow_empty?: boolean } {
  const json = formats.find((format) => typeof format === 'object' && format.type === 'json');
  const allowsEmpty = json !== undefined && 'schema' in json ? json.schema.allow_empty : undefined;
  return {
    fields: {
      ...Object.fromEntries(formats.map((format) => fieldOf(format, isMainOnly))),
      metadata: { fields: METADATA },
    },
    ...(allowsEmpty === undefined ? {} : { allow_empty: allowsEmpty }),
  };
}

/** How a screenshot is drawn; undefined without one. */
export function screenshotOf(formats: readonly Format[]): { fullPage: boolean } | undefined {
  for (const format of formats) {
    if (format === 'screenshot') return { fullPage: false };
    if (format === 'screenshot@fullPage') return { fullPage: true };
    if (typeof format === 'object' && format.type === 'screenshot')
      return { fullPage: format.fullPage ?? false };
  }
  return undefined;
}
