/** What reading a page is made of, for the packages that learn parsers of pages and that run the reading in threads. */
export { pageFact } from './content/page-facts.ts';
export { extractParsed } from './engine/extract.ts';
export {
  baseOf,
  createPageState,
  factsOf,
  jsonLdOf,
  metaOf,
  microdataOf,
  scriptDataOf,
  type PageState,
} from './engine/page-state.ts';
export type { SourceObject } from './engine/source.ts';
export { compileJsonPath, queryJson, type Json } from './json/jsonpath.ts';
export { readPageJson } from './json/page-json.ts';
export { resolveReferences } from './json/references.ts';
export { compileScriptFinder } from './json/script-data.ts';
export { RESULT_LIMITS } from './limits.ts';
export { asObject } from './output/field-shape.ts';
export { parsePageTree } from './parse-page.ts';
export { compileStep, type Raw } from './transform/step.ts';
export { readBoolean } from './values/boolean.ts';
export { createDateReader } from './values/date.ts';
export { createNumberReader, readInteger } from './values/number.ts';
export { numberTable } from './values/number-table.ts';
export type { Reading } from './values/reading.ts';
export { cellGrid, rowsOf } from './values/table-grid.ts';
