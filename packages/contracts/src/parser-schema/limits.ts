/** Limits on the schema itself. The extractors limit the content of selectors. */
export const PARSER_SCHEMA_LIMITS = {
  /** Fields on all levels. */
  fields: 500,
  fieldsPerLevel: 200,
  nesting: 8,
  /** Characters of a selector, XPath, JSONPath or meta name. */
  selectorLength: 1_000,
  patternLength: 1_000,
  /** Selectors in one fallback array, and sources in `any`. */
  fallbacks: 20,
  transformSteps: 20,
  mapEntries: 500,
  enumValues: 500,
  textLength: 2_000,
} as const;
