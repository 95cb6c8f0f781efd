import { createCall, type Answer, type Call } from './call.ts';
import type { InferParser } from './define-parser.ts';
import { GleanerError } from './errors.ts';
import type { Methods, ParserSchema, ParseHtmlQuery, ScrapeConfig } from './generated/operations.ts';
import type { FileInput } from './multipart.ts';
import type { CallOptions } from './route.ts';

/** A saved parser: its record, or its id with its schema. */
export interface SavedParser<S = unknown> {
  readonly id: string;
  readonly schema?: S;
}

/** A saved parser, only its id, or an unsaved schema. */
export type AnyParser = string | SavedParser | ParserSchema;

/** The type of a parser's data, if its schema is known. */
export type OutputOf<P> = P extends { readonly fields: unknown }
  ? InferParser<P>
  : P extends { readonly schema?: infer S }
    ? InferParser<S>
    : { [name: string]: unknown };

export interface ScrapeInput extends ScrapeConfig {
  /** Absolute http or https URL. */
  url: string;
}

export interface Extract {
  /**
   * Fetches a page and returns its data, typed by the parser's schema. An unsaved schema works as well.
   * @throws GleanerError `extraction failed`, `fetch failed` and others of docs/use/errors.md. Failed calls are not charged,
   * except when an unsaved schema fails on a fetched page.
   */
  scrape<const P extends AnyParser>(
    parser: P,
    page: string | ScrapeInput,
    options?: CallOptions,
  ): Call<OutputOf<P>>;
  /** Returns the data of a given page, typed by the parser's schema. Free. With an unsaved schema, the page must be text. */
  parse<const P extends AnyParser>(
    parser: P,
    html: P extends { readonly fields: unknown } ? string : FileInput,
    query?: Pick<ParseHtmlQuery, 'url'>,
    options?: CallOptions,
  ): Call<OutputOf<P>>;
}

function idOfSaved(parser: AnyParser): string | undefined {
  if (typeof parser === 'string') return parser;
  return 'id' in parser && typeof parser.id === 'string' ? parser.id : undefined;
}

type Preview = Awaited<ReturnType<Methods['parsers']['preview']>>;

/** A preview returns failed fields as null. Callers of typed data must get an error instead. */
function requireData({ data: { data, fields }, ...answer }: Answer<Preview>): Answer<unknown> {
  const failed = fields.find(({ error }) => error !== undefined);
  if (failed === undefined) return { ...answer, data };
  throw new GleanerError({
    status: 422,
    code: 'extraction failed',
    field: failed.path,
    detail: failed.error,
    requestId: answer.requestId,
  });
}

type Page = { url: string; scrape_config: ScrapeConfig } | { html: string; url?: string };

export function createExtract({ extraction, parsers }: Methods): Extract {
  /** An object without an id is a schema. */
  const preview = (parser: AnyParser, page: Page, options?: CallOptions): Call<unknown> => {
    const call = parsers.preview({ schema: parser as ParserSchema, ...page }, options);
    return createCall(call.answer().then(requireData));
  };
  const scrape = (parser: AnyParser, page: string | ScrapeInput, options?: CallOptions): Call<unknown> => {
    const { url, ...scrape_config } = typeof page === 'string' ? { url: page } : page;
    const id = idOfSaved(parser);
    if (id === undefined) return preview(parser, { url, scrape_config }, options);
    return extraction.scrape(id, { url, ...scrape_config }, options);
  };
  const parse = (
    parser: AnyParser,
    html: FileInput,
    query: Pick<ParseHtmlQuery, 'url'> = {},
    options?: CallOptions,
  ): Call<unknown> => {
    const id = idOfSaved(parser);
    if (id !== undefined) return extraction.parseHtmlFromFile(id, { html: asPage(html) }, query, options);
    if (typeof html !== 'string') throw new TypeError('an unsaved schema needs the page as text');
    return preview(parser, { html, ...query }, options);
  };
  // The service returns data in the shape of the schema.
  return { scrape, parse } as Extract;
}

/** Strings are sent as UTF-8, regardless of the page's meta element. */
function asPage(html: FileInput): FileInput {
  return typeof html === 'string'
    ? { content: html, filename: 'page.html', contentType: 'text/html; charset=utf-8' }
    : html;
}
