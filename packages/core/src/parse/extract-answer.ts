import { AppError, type ParserSchema } from '@gleaner/contracts';
import type { Extraction, Page } from '@gleaner/extractors';
import type { ExtractionPool } from '@gleaner/extractors/pool';

export interface AnswerRequest {
  /** `key` names the schema in the threads' caches: the same key is always the same schema. */
  parser: { key: string; schema: unknown };
  page: Page;
  explain: boolean;
  /** `{data, fields}` instead of the bare data. */
  preview: boolean;
  signal?: AbortSignal;
}

// Schemas are checked before they are stored or get here.
const asSchema = (schema: unknown): ParserSchema => schema as ParserSchema;

const toBody = (extraction: Extraction, preview: boolean): unknown => {
  if (!extraction.ok) {
    const { failure } = extraction;
    throw new AppError('extraction_failed', {
      detail: failure.detail,
      ...('field' in failure && typeof failure.field === 'string' ? { field: failure.field } : {}),
    });
  }
  const explain = extraction.explain === undefined ? {} : { explain: extraction.explain };
  if (preview) return { data: extraction.data, fields: extraction.fields, ...explain };
  return { ...extraction.data, ...explain };
};

/**
 * Runs a parser in the killable threads and gives the answer's body as JSON text.
 * @throws AppError extraction_failed that names each field and its selector
 */
export const extractAnswer = async (pool: ExtractionPool, request: AnswerRequest): Promise<string> => {
  const { parser, page, explain, preview, signal } = request;
  const extraction = await pool.extract({
    parserKey: parser.key,
    schema: asSchema(parser.schema),
    page,
    explain,
    ...(signal === undefined ? {} : { signal }),
  });
  return JSON.stringify(toBody(extraction, preview));
};
