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

// An object without an id is a schema.
function asSchema(parser: AnyParser): ParserSchema {
  return parser as ParserSchema;
}

// The service returns data in the shape of the schema.
function asOutput<P>(call: Call<unknown>): Call<OutputOf<P>> {
  return call as Call<OutputOf<P>>;
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

export function createExtract({ extraction, parsers }: Methods): Extract {
  return {
    scrape: <P extends AnyParser>(parser: P, page: string | ScrapeInput, options?: CallOptions) => {
      const { url, ...scrape_config } = typeof page === 'string' ? { url: page } : page;
      const id = idOfSaved(parser);
      if (id !== undefined) return asOutput<P>(extraction.scrape(id, { url, ...scrape_config }, options));
      const preview = parsers.preview({ schema: asSchema(parser), url, scrape_config }, options);
      return asOutput<P>(createCall(preview.answer().then(requireData)));
    },
    parse: <P extends AnyParser>(
      parser: P,
      html: FileInput,
      query: Pick<ParseHtmlQuery, 'url'> = {},
      options?: CallOptions,
    ) => {
      const id = idOfSaved(parser);
      if (id !== undefined) {
        return asOutput<P>(extraction.parseHtmlFromFile(id, { html: asPage(html) }, query, options));
      }
      if (typeof html !== 'string') throw new TypeError('an unsaved schema needs the page as text');
      const preview = parsers.preview({ schema: asSchema(parser), html, ...query }, options);
      return asOutput<P>(createCall(preview.answer().then(requireData)));
    },
  };
}

/** Strings are sent as UTF-8, regardless of the page's meta element. */
function asPage(html: FileInput): FileInput {
  return typeof html === 'string'
    ? { content: html, filename: 'page.html', contentType: 'text/html; charset=utf-8' }
    : html;
}
