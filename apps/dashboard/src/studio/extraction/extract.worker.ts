/**
 * The engine itself, in a thread of the browser: pages are parsed once and kept, so that a changed schema costs only
 * the reading of its fields.
 */
import { isObject } from '@gleaner/contracts/values';
import type { ParserSchema } from '@gleaner/contracts';
import { checkSchema, compileParser, extractFrom, suggestSchema } from '@gleaner/extractors';
import { PageRejected, parseHtml, type PageDocument } from '@gleaner/html';
import { z } from 'zod';
import type { Example, KeptPage, Outcome, PageData, PageResult, Suggested } from './protocol.ts';

type Json = Record<string, unknown>;

function softenField(field: unknown): unknown {
  if (!isObject(field)) return field;
  const { required: _required, ...rest } = field;
  return {
    ...rest,
    ...(isObject(rest['assert']) ? { assert: { ...rest['assert'], on_fail: 'null' } } : {}),
    ...(isObject(rest['fields']) ? { fields: softenFields(rest['fields']) } : {}),
  };
}

function softenFields(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, softenField(field)]));
}

/**
 * The same schema, but nothing in it ends the extraction: an absent required field is null, like a broken assertion.
 * While a person makes fields, a failing field must not hide the others.
 */
function soften(schema: { fields: Json }): { fields: Json } {
  return { fields: softenFields(schema.fields) };
}

/** Whether anything in it could end the extraction. */
function isStrict(schema: { fields: Json }): boolean {
  return Object.values(schema.fields).some(
    (field) =>
      isObject(field) &&
      (field['required'] === true ||
        field['assert'] !== undefined ||
        field['type'] !== undefined ||
        (isObject(field['fields']) && isStrict({ fields: field['fields'] }))),
  );
}

// Its fast path compiles functions, which the content security policy forbids.
z.config({ jitless: true });

interface Parsed {
  page: KeptPage;
  document: PageDocument | { reason: string };
}

const kept = new Map<string, Parsed>();

function parse(html: string): Parsed['document'] {
  try {
    return parseHtml(html);
  } catch (error) {
    if (error instanceof PageRejected) return { reason: error.message };
    throw error;
  }
}

function factsOf({ html, url, fetchedAt, captures }: KeptPage) {
  return { body: html, fetchedAt, captures, ...(url === '' ? {} : { url, finalUrl: url }) };
}

function readPage(
  { page, document }: Parsed,
  parsers: { soft: ReturnType<typeof compileParser>; strict: ReturnType<typeof compileParser> | undefined },
): PageResult {
  if ('reason' in document) {
    return { pageId: page.id, data: null, fields: [], explain: [], failure: document.reason };
  }
  const facts = factsOf(page);
  const soft = extractFrom(parsers.soft, document, facts, { explain: true });
  const strict = parsers.strict && extractFrom(parsers.strict, document, facts);
  const failed = strict?.ok === false ? strict : soft.ok ? undefined : soft;
  return {
    pageId: page.id,
    data: soft.ok ? soft.data : null,
    fields: soft.fields,
    explain: soft.explain ?? [],
    failure: failed?.ok === false ? failed.failure.detail : null,
  };
}

function extractAll(input: unknown): Outcome {
  const started = performance.now();
  const check = checkSchema(input);
  if (!check.ok) return { faults: check.faults, pages: [], ms: performance.now() - started };
  const softSchema = soften(check.schema) as ParserSchema;
  const parsers = {
    soft: compileParser(softSchema),
    strict: isStrict(check.schema) ? compileParser(check.schema) : undefined,
  };
  const pages = [...kept.values()].map((parsed) => readPage(parsed, parsers));
  return { faults: [], pages, ms: performance.now() - started };
}

/** The address of a response on any page of the site: its path, with any query. */
function patternOf(address: string): string {
  const { pathname, search } = new URL(address);
  return search === '' ? pathname : `${pathname}?*`;
}

function readData(pageId: string, scripts: string[]): PageData {
  const parsed = kept.get(pageId);
  const nothing: PageData = { jsonld: null, microdata: null, scripts: [], responses: [] };
  if (parsed === undefined || 'reason' in parsed.document) return nothing;
  const { document, page } = parsed;
  const read = (source: object): unknown => {
    const check = checkSchema({ fields: { value: { ...source, type: 'json' } } });
    if (!check.ok) return null;
    const extraction = extractFrom(compileParser(check.schema), document, factsOf(page));
    return extraction.ok ? extraction.data['value'] : null;
  };
  return {
    jsonld: read({ jsonld: '$' }),
    microdata: read({ microdata: '$' }),
    scripts: scripts
      .map((script) => ({ script, value: read({ json: { script, path: '$' } }) }))
      .filter(({ value }) => value !== null),
    responses: [...new Set((page.captures ?? []).map((capture) => patternOf(capture.url)))]
      .map((url) => ({ url, value: read({ xhr: { url, path: '$' } }) }))
      .filter(({ value }) => value !== null),
  };
}

/** As many pages as the engine learns from. */
const MAX_LEARNED = 5;

/** Proposes fields: from example values, or without any from what the pages repeat and name. */
function suggest(examples: readonly Example[]): Suggested {
  const pages = [...kept.values()].filter(({ document }) => !('reason' in document));
  // Pages with examples first: the engine learns from examples.
  function hasExample({ page }: Parsed): boolean {
    return examples.some(({ pageId }) => pageId === page.id);
  }
  const ranked = pages.toSorted((a, b) => Number(hasExample(b)) - Number(hasExample(a)));
  // One page is enough to begin with, and five take seconds.
  const learned = ranked.slice(0, examples.length === 0 ? 1 : MAX_LEARNED);
  const { schema, fields } = suggestSchema(
    learned.map(({ page }) => {
      const own = examples.filter(({ pageId }) => pageId === page.id);
      const values = Object.fromEntries(own.map(({ name, value }) => [name, value]));
      return { ...factsOf(page), ...(examples.length === 0 ? {} : { examples: values }) };
    }),
  );
  const [first] = learned;
  if (schema === null || first === undefined || 'reason' in first.document)
    return { schema, fields: [...fields], data: null };
  const softened = compileParser(soften(schema) as ParserSchema);
  const read = extractFrom(softened, first.document, factsOf(first.page));
  return { schema, fields: [...fields], data: read.ok ? read.data : null };
}

/** What the studio asks of this thread. */
const engine = {
  keep: (page: KeptPage): void => {
    kept.set(page.id, { page, document: parse(page.html) });
  },
  drop: (pageId: string): void => {
    kept.delete(pageId);
  },
  extract: extractAll,
  readData,
  suggest,
};

export type Engine = typeof engine;

/** A call of one of the thread's functions. */
export interface Ask {
  seq: number;
  name: keyof Engine;
  args: readonly unknown[];
}

/** What the function returned, or why it failed; first of all that the thread is loaded. */
export type Reply = { seq: number; value: unknown } | { seq: number; fault: string } | 'loaded';

addEventListener('message', ({ data: { seq, name, args } }: MessageEvent<Ask>) => {
  const run = engine[name] as (...given: readonly unknown[]) => unknown;
  try {
    postMessage({ seq, value: run(...args) } satisfies Reply);
  } catch (error) {
    postMessage({ seq, fault: error instanceof Error ? error.message : String(error) } satisfies Reply);
  }
});
postMessage('loaded' satisfies Reply);
