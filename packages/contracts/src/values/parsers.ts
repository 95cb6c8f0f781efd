export const FIELD_TYPES = [
  'string',
  'number',
  'integer',
  'money',
  'duration',
  'rating',
  'boolean',
  'date',
  'datetime',
  'url',
  'html',
  'text',
  'markdown',
  'json',
  'table',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** Types of two columns in a sink: the second is named after the field, an underscore and this. */
export const SECOND_COLUMNS: Readonly<Partial<Record<FieldType, string>>> = {
  money: 'currency',
  rating: 'best',
};

/** Languages in which the type of a parser's answer is written. */
export const OUTPUT_FORMATS = ['json-schema', 'typescript', 'python', 'sql'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The endings of their files, without the dot. */
export const OUTPUT_ENDINGS = {
  'json-schema': 'schema.json',
  typescript: 'ts',
  python: 'py',
  sql: 'sql',
} as const satisfies Record<OutputFormat, string>;

/** How many of the matches a field takes. */
export const TAKES = ['first', 'all', 'count', 'exists'] as const;
export type Take = (typeof TAKES)[number];

/** The keys of sources. A field or source has at most one of them. */
export const SOURCE_KINDS = [
  'css',
  'xpath',
  'jsonld',
  'microdata',
  'json',
  'xhr',
  'meta',
  'const',
  'page',
] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** What a field can say of the page itself. */
export const PAGE_FACTS = [
  'url',
  'final_url',
  'status',
  'fetched_at',
  'title',
  'headline',
  'language',
  'text',
  'markdown',
  'main_html',
  'html',
  'links',
  'responses',
  'json',
  'pages',
  'published',
  'modified',
  'author',
  'description',
  'image',
  'screenshot',
  'pdf',
] as const;
export type PageFact = (typeof PAGE_FACTS)[number];

/** Facts that are lists. */
export const LIST_FACTS: readonly (PageFact | undefined)[] = ['links', 'responses'];

/** Facts that are files: a browser makes them, and only where a parser reads them. */
export const FILE_FACTS = ['screenshot', 'pdf'] as const satisfies readonly PageFact[];
export type FileFact = (typeof FILE_FACTS)[number];

/** Facts that a PDF states. */
export const PDF_FACTS = ['text', 'markdown', 'title', 'pages'] as const satisfies readonly PageFact[];
export type PdfFact = (typeof PDF_FACTS)[number];

/** Steps of a transform that are words. */
export const STEP_WORDS = ['trim', 'collapse', 'lower', 'upper', 'unique'] as const;
export type StepWord = (typeof STEP_WORDS)[number];

/** Steps of a transform that are objects, by their key. */
export const STEP_KEYS = ['regex', 'replace', 'split', 'join', 'slice', 'map', 'strip', 'template'] as const;
export type StepKey = (typeof STEP_KEYS)[number];

/** The effect of a failed assertion or type conversion. */
export const FAILURE_EFFECTS = ['fail', 'null', 'drop_row'] as const;
export type FailureEffect = (typeof FAILURE_EFFECTS)[number];

/** A field or a source in its long form: a text is a CSS selector. */
export function longForm<Long extends { css?: unknown }>(written: string | Long): Long;
export function longForm(written: string | object): object {
  return typeof written === 'string' ? { css: written } : written;
}
