export {
  checkSchema,
  compileParser,
  describeFault,
  parserSchemaJsonSchema,
  type SchemaCheck,
} from './check-schema.ts';
export type { SchemaFault } from './engine/compile.ts';
export { extract, extractFrom, parsePage, type ExtractOptions } from './engine/extract.ts';
export type { CompiledParser } from './engine/types.ts';
export type {
  Extraction,
  ExtractionFailure,
  FailedField,
  FieldReport,
  FieldTrace,
  SourceTrace,
} from './extraction.ts';
export { keyFields, outputColumns, type OutputColumn } from './output/columns.ts';
export {
  compileDataPath,
  findValues,
  resolvePathSchemas,
  type DataPath,
  type FoundValue,
} from './output/data-path.ts';
export { noteValues, leastOfSize, type NotedReport, type ValueNote } from './output/note-values.ts';
export { outputSchema, type JsonSchema } from './output/output-schema.ts';
export { outputTypes, wordsOf } from './output/output-types.ts';
export { decodeHtmlInParts, withXmlDeclaration } from '@gleaner/html';
export type { Capture, Page } from './page.ts';
export { READER, readerOf } from './reader.ts';
export { contentBlocksOf, createContentReader } from './content/training.ts';
