export {
  checkSchema,
  compileParser,
  describeFault,
  parserSchemaJsonSchema,
  type SchemaCheck,
} from './check-schema.ts';
export type { SchemaFault } from './engine/compile.ts';
export { extract, type ExtractOptions } from './engine/extract.ts';
export type { CompiledParser } from './engine/types.ts';
export type {
  Extraction,
  ExtractionFailure,
  FailedField,
  FieldReport,
  FieldTrace,
  SourceTrace,
} from './extraction.ts';
export { keyFields, outputColumns, type ColumnType, type OutputColumn } from './output/columns.ts';
export {
  compileDataPath,
  findValues,
  resolvePathSchemas,
  type DataPath,
  type FoundValue,
} from './output/data-path.ts';
export { outputSchema, type JsonSchema } from './output/output-schema.ts';
export type { Page } from './page.ts';
