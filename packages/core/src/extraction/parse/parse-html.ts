import { invalid } from '../../platform/invalid-request.ts';
import {
  AppError,
  browserHint,
  DEFAULT_PRICES,
  isPdf,
  joinPieces,
  MAX_HTML_BYTES,
  MAX_PARSE_BODY_BYTES,
  type UploadPart,
  type ParserSchema,
  type ScrapeConfig,
} from '@gleaner/contracts';
import type { ExtractionServices } from '../../parsers/check-parser-schema.ts';
import { readReader } from '../../parsers/read-parsers.ts';
import { withSlot } from '../../runs/requests/take-slot.ts';
import { type InteractiveServices, runRequest } from '../../runs/requests/run-request.ts';
import { creditsOf } from '../../accounts/credits/credits.ts';
import { requireNoExplainField, extractAnswer } from './extract-answer.ts';
import type { Perform, Context } from '../../platform/context.ts';
import { isUtf8 } from 'node:buffer';

const SAMPLE_BYTES = 4_096;
/** Bytes with a greater share of control characters are not text in any charset of web pages. */
const MAX_CONTROL_SHARE = 0.1;

function isControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b;
}

/**
 * Rejects uploads that are blank or neither text nor PDF, such as images and archives.
 * @throws AppError invalid_request with field `html`
 */
function checkText({ body: bytes, contentType = '' }: HtmlInput<Uint8Array>): void {
  if (isPdf(bytes)) return;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (sample.length === bytes.length && Buffer.from(sample).toString('latin1').trim() === '')
    throw invalid('html', 'html is blank');
  const isUtf16 = (sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff);
  if (isUtf16 || /charset=["']?utf-?(?:16|32)/i.test(contentType)) return;
  const controls = sample.reduce((total, byte) => total + (isControl(byte) ? 1 : 0), 0);
  if (controls > sample.length * MAX_CONTROL_SHARE)
    throw invalid('html', 'html is not text', 'Upload the page itself, uncompressed.');
}

type FilePart = Extract<UploadPart, { kind: 'file' }>;

interface HtmlInput<B = string | Uint8Array> {
  body: B;
  /** The content type, with the part's charset when it named one. */
  contentType?: string | undefined;
}

function unknownPart(name: string): AppError {
  return invalid(
    name === '' ? 'body' : name,
    name === '' ? 'a part has no name' : `the part ${name} is not known`,
    'Send one part named html, for example: curl -F html=@page.html … The address of the page is the query parameter url.',
  );
}

/**
 * Reads the form's only part, `html`.
 * @throws AppError html_too_large, body_too_large, invalid_request
 */
async function readHtmlPart(parts: AsyncIterable<UploadPart> | undefined): Promise<HtmlInput<Uint8Array>> {
  let html: HtmlInput<Uint8Array> | undefined;
  let totalBytes = 0;
  for await (const part of parts ?? []) {
    if (part.kind === 'field' || part.name !== 'html') throw unknownPart(part.name);
    const pieces = joinPieces();
    let size = 0;
    for await (const chunk of part.stream) {
      totalBytes += chunk.length;
      if (totalBytes > MAX_PARSE_BODY_BYTES)
        throw new AppError('body_too_large', { field: 'body', detail: 'the page is larger than 64 MB' });
      size += chunk.length;
      if (size <= MAX_HTML_BYTES) pieces.add(chunk);
    }
    if (size > MAX_HTML_BYTES) throw tooLarge();
    if (html) throw invalid('html', 'the form has two parts named html');
    const body = pieces.join();
    const contentType = typeOf(part, body);
    html = { body, contentType };
  }
  if (html) {
    checkText(html);
    return html;
  }
  throw invalid(
    'html',
    'the form has no part named html',
    'Send multipart/form-data, for example: curl -F html=@page.html …',
  );
}

function tooLarge(field = 'html'): AppError {
  return new AppError('html_too_large', { field, detail: 'html is larger than 16 MB' });
}

/** Forms send text as UTF-8 without naming the charset. Bytes that are not UTF-8 have the page's own charset. */
function typeOf({ filename, contentType }: FilePart, bytes: Uint8Array): string | undefined {
  return contentType === undefined && filename === undefined && isUtf8(bytes)
    ? 'text/html; charset=utf-8'
    : contentType;
}

/**
 * Checks a page that was sent as text in JSON.
 * @param field the part of the request that an error names
 * @throws AppError html_too_large, invalid_request when it is blank
 */
export function requireHtmlText(html: string, field = 'html'): void {
  if (Buffer.byteLength(html) > MAX_HTML_BYTES) throw tooLarge(field);
  if (html.trim() === '') throw invalid(field, 'html is blank');
}

export interface ParsingServices extends InteractiveServices, ExtractionServices {}

/** Parses an uploaded page with the parser's current version. Free. */
export const parseHtml: Perform<'parseHtml', ParsingServices> = async (
  ctx,
  { params, query, body, upload },
) => {
  const parser = await readReader(ctx.services.db.orm, ctx.accountId, params.parserId);
  if (query.explain === true) requireNoExplainField(parser.schema);
  if (body !== undefined) requireHtmlText(body.html);
  const html = body === undefined ? await readHtmlPart(upload) : { body: body.html };
  const jsonText = await withSlot(ctx, () =>
    extractAnswer(ctx.services.pool, {
      parser: { key: `${parser.id}/${parser.version}`, schema: parser.schema },
      page: {
        ...html,
        url: query.url,
        finalUrl: query.url,
        fetchedAt: ctx.services.now().toISOString(),
        composed: parser.composed,
      },
      explain: query.explain === true,
      preview: false,
      shellHint: browserHint({}, { ...DEFAULT_PRICES, ...ctx.services.config.prices }),
      accountId: ctx.accountId,
      signal: ctx.signal,
    }),
  );
  await creditsOf(ctx);
  return { jsonText };
};

/** A schema that gives the page itself: JSON as it was sent, else HTML. */
const WHOLE_PAGE: ParserSchema = {
  fields: { html: { page: 'html' }, json: { page: 'json' }, final_url: { page: 'final_url' } },
};

/**
 * Fetches a page as a scrape does and charges what a scrape costs.
 * @throws AppError extraction_failed when the answer is not an HTML page
 */
export async function fetchHtml(
  ctx: Context<InteractiveServices>,
  url: string,
  config: ScrapeConfig,
): Promise<{ html: string; finalUrl: string }> {
  const { jsonText } = await runRequest(ctx, {
    target: { type: 'schema', schema: WHOLE_PAGE },
    input: { url },
    config,
  });
  const data = JSON.parse(jsonText) as Record<'html' | 'json' | 'final_url', string | null>;
  const html = data.json ?? data.html;
  if (html === null)
    throw new AppError('extraction_failed', { detail: `the answer of ${url} is neither HTML nor JSON` });
  return { html, finalUrl: data.final_url ?? url };
}
