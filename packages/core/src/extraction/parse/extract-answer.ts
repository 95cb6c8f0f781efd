import { AppError, type ParserSchema } from '@gleaner/contracts';
import type { FieldReport, Page } from '@gleaner/extractors';
import type { ExtractionPool, JsonExtraction } from '@gleaner/extractors/pool';

export interface AnswerRequest {
  /** `key` names the schema in the threads' caches: the same key is always the same schema. */
  parser: { key: string; schema: unknown };
  page: Page;
  explain: boolean;
  /** `{data, fields}` instead of the bare data, also when fields fail. */
  preview: boolean;
  /** Accounts that wait take turns. */
  accountId: string;
  signal?: AbortSignal;
}

// Schemas are checked before they are stored or get here.
function asSchema(schema: unknown): ParserSchema {
  return schema as ParserSchema;
}

/** A preview of an extraction that was stopped: no values, and the reason at every field. */
function stoppedPreview({ fields }: ParserSchema, detail: string): { data: string; fields: FieldReport[] } {
  const reports: FieldReport[] = [];
  const walk = (nested: ParserSchema['fields'], prefix: string): void => {
    for (const [name, field] of Object.entries(nested)) {
      const path = prefix + name;
      reports.push({ path, matched: false, value_count: 0, selector: null, error: detail });
      if (typeof field !== 'string' && field.fields !== undefined) walk(field.fields, `${path}.`);
    }
  };
  walk(fields, '');
  const data = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
  return { data: JSON.stringify(data), fields: reports };
}

/** `{…data, "explain": …}` or `{"data", "fields", "explain"}`, without reading the data's text again. */
function toBody(extraction: JsonExtraction, preview: boolean): string {
  const { fields, explain } = extraction;
  const data = extraction.ok || preview ? extraction.data : undefined;
  if (data === undefined) {
    const failure = extraction.ok ? undefined : extraction.failure;
    throw new AppError('extraction_failed', {
      detail: failure?.detail,
      ...(failure?.code === 'html_rejected' ? { field: 'html' } : {}),
    });
  }
  const tail = explain === undefined ? '' : `"explain":${JSON.stringify(explain)}`;
  if (preview) return `{"data":${data},"fields":${JSON.stringify(fields)}${tail === '' ? '' : `,${tail}`}}`;
  if (tail === '') return data;
  return data === '{}' ? `{${tail}}` : `${data.slice(0, -1)},${tail}}`;
}

/**
 * Runs a parser in the killable threads and gives the answer's body as JSON text.
 * @throws AppError extraction_failed that names each field and its selector
 */
export async function extractAnswer(pool: ExtractionPool, request: AnswerRequest): Promise<string> {
  const { parser, page, explain, preview, accountId, signal } = request;
  const extraction = await pool.extractJson({
    parserKey: parser.key,
    schema: asSchema(parser.schema),
    page,
    explain,
    partial: preview,
    owner: accountId,
    ...(signal === undefined ? {} : { signal }),
  });
  // Its thread was killed.
  if (preview && !extraction.ok && extraction.fields.length === 0) {
    const { failure } = extraction;
    return toBody({ ok: false, failure, ...stoppedPreview(asSchema(parser.schema), failure.detail) }, true);
  }
  return toBody(extraction, preview);
}
