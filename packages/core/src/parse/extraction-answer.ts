import { AppError } from '@gleaner/contracts';
import type { Extraction } from '@gleaner/extractors';

/**
 * The body of a parse, scrape or preview answer.
 * @throws AppError extraction_failed that lists each field and its selector
 */
export const toAnswer = (extraction: Extraction, shape: { preview: boolean }): unknown => {
  if (!extraction.ok) throw new AppError('extraction_failed', { detail: extraction.failure.detail });
  const explain = extraction.explain === undefined ? {} : { explain: extraction.explain };
  if (shape.preview) return { data: extraction.data, fields: extraction.fields, ...explain };
  return { ...extraction.data, ...explain };
};
