import { AppError, type ParserSchema } from '@gleaner/contracts';
import type { FieldReport, FieldTrace, NotedReport, Page } from '@gleaner/extractors';
import type { ExtractionPool, JsonExtraction } from '@gleaner/threads';
import { invalid } from '../../platform/invalid-request.ts';
import type { RelativeValues } from '../../storage/sinks/to-rows.ts';

export interface AnswerRequest {
  /** `key` identifies the schema in the threads' caches. The same key always means the same schema. */
  parser: { key: string; schema: ParserSchema };
  page: Page;
  explain: boolean;
  /** `{data, fields}` instead of the bare data, also when fields fail. */
  preview: boolean;
  /** Whether a page on which nothing matches fails. */
  refusesEmpty?: boolean;
  /** See ExtractOptions of the extractors. */
  rowsAt?: string | undefined;
  /** What to do where the page looks as if scripts fill it; absent when a browser read it. */
  shellHint?: string | undefined;
  /** The account, for a fair share of the threads. */
  accountId: string;
  signal?: AbortSignal;
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

/** Fields of the page itself without a value say what may fill them. */
function withHint(traces: readonly FieldTrace[], hint: string | undefined): readonly object[] {
  if (hint === undefined) return traces;
  return traces.map((trace) => (trace.reason === undefined ? trace : { ...trace, hint }));
}

/** `{…data, "explain": …}` or `{"data", "fields", "explain"}`, without reading the data's text again; or the failure. */
function toBody(
  extraction: JsonExtraction,
  { preview, shellHint }: Pick<AnswerRequest, 'preview' | 'shellHint'>,
): string | AppError {
  const { fields, explain } = extraction;
  const hint = extraction.looksScripted === true ? shellHint : undefined;
  const data = extraction.ok || preview ? extraction.data : undefined;
  if (data === undefined) {
    const failure = extraction.ok ? undefined : extraction.failure;
    const field = failure?.code === 'html_rejected' ? 'html' : undefined;
    return new AppError('extraction_failed', { detail: failure?.detail, field, hint });
  }
  const tail = explain === undefined ? '' : `"explain":${JSON.stringify(withHint(explain, hint))}`;
  if (preview) {
    const told = hint === undefined ? '' : `,"hint":${JSON.stringify(hint)}`;
    return `{"data":${data},"fields":${JSON.stringify(fields)}${told}${tail === '' ? '' : `,${tail}`}}`;
  }
  if (tail === '') return data;
  return data === '{}' ? `{${tail}}` : `${data.slice(0, -1)},${tail}}`;
}

export interface ReportRequest extends AnswerRequest {
  /** Adds notes of the values to the fields' reports. */
  notesValues?: boolean | undefined;
}

/** The answer's body or the failure, with what each field found. */
export interface ExtractionReport {
  answer: string | AppError;
  fields: readonly NotedReport[];
  /** Why a preview, which answers all the same, would fail as a scrape: nothing on the page matched. */
  emptiness: string | undefined;
  /** Whether it looks as if scripts fill the page. */
  looksScripted: boolean;
  /** See Extraction of the extractors. */
  relative: RelativeValues | undefined;
  /** The fingerprint of the page's structure, of some pages with notes. */
  structure: readonly number[] | undefined;
}

/** Runs a parser in the killable threads. A failed extraction is a result here. */
export async function extractReport(pool: ExtractionPool, request: ReportRequest): Promise<ExtractionReport> {
  const { parser, page, explain, preview, accountId, signal, notesValues, refusesEmpty, rowsAt } = request;
  const extraction = await pool.extractJson({
    parserKey: parser.key,
    schema: parser.schema,
    page,
    explain,
    partial: preview,
    owner: accountId,
    notesValues,
    refusesEmpty,
    rowsAt,
    signal,
  });
  const { structure, relative } = extraction;
  // Without fields, the thread of the extraction was killed.
  const shown: JsonExtraction =
    preview && !extraction.ok && extraction.fields.length === 0
      ? { ...extraction, ...stoppedPreview(parser.schema, extraction.failure.detail) }
      : extraction;
  const emptiness =
    !extraction.ok && extraction.failure.isEmpty === true ? extraction.failure.detail : undefined;
  const looksScripted = extraction.looksScripted === true;
  return {
    answer: toBody(shown, request),
    fields: shown.fields,
    emptiness,
    looksScripted,
    relative,
    structure,
  };
}

/**
 * Runs a parser in the killable threads and returns the response body as JSON text.
 * @throws AppError extraction_failed with each failed field and its selector
 */
export async function extractAnswer(pool: ExtractionPool, request: AnswerRequest): Promise<string> {
  const { answer } = await extractReport(pool, request);
  if (answer instanceof AppError) throw answer;
  return answer;
}

/**
 * The explanation is a member next to the data's fields, so no field may have its name.
 * @throws AppError invalid_request with field `explain`
 */
export function requireNoExplainField({ fields }: Record<string, unknown>): void {
  if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, 'explain')) return;
  throw invalid(
    'explain',
    'the parser has a field named explain, which the explanation would replace',
    'Use POST /v1/parsers/preview, which returns the explanation separately from the data.',
  );
}
