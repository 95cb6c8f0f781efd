/**
 * The engine itself, in a thread of the browser: pages are parsed once and kept, so that a changed schema costs only
 * the reading of its fields.
 */
import { browserHint, isObject } from '@gleaner/contracts/values';
import type { ParserSchema } from '@gleaner/contracts';
import { checkSchema, compileParser, extractFrom, parsePage } from '@gleaner/extractors';
import { suggestSchema } from '@gleaner/learn';
import type { PageDocument } from '@gleaner/html';
import { z } from 'zod';
import type { KeptPage, Outcome, PageResult, Suggested } from './protocol.ts';

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
function soften({ fields }: { fields: Json }): ParserSchema {
  return { fields: softenFields(fields) } as ParserSchema;
}

// Its fast path compiles functions, which the content security policy forbids.
z.config({ jitless: true });

interface Parsed {
  page: KeptPage;
  document: PageDocument | { reason: string };
}

const kept = new Map<string, Parsed>();

function parse(html: string): Parsed['document'] {
  return parsePage({ body: html });
}

function factsOf({ html, url, fetchedAt, captures }: KeptPage) {
  return { body: html, fetchedAt, captures, ...(url === '' ? {} : { url, finalUrl: url }) };
}

function readPage(
  { page, document }: Parsed,
  parsers: Readonly<Record<'soft' | 'strict', ReturnType<typeof compileParser>>>,
): PageResult {
  if ('reason' in document) {
    return { pageId: page.id, data: null, fields: [], explain: [], failure: document.reason, hint: null };
  }
  const facts = factsOf(page);
  const soft = extractFrom(parsers.soft, document, facts, { explain: true });
  const strict = extractFrom(parsers.strict, document, facts, { refusesEmpty: true });
  const isShell = soft.looksScripted === true && page.captures === undefined;
  return {
    pageId: page.id,
    data: soft.ok ? soft.data : null,
    fields: soft.fields,
    explain: soft.explain ?? [],
    failure: strict.ok ? null : strict.failure.detail,
    hint: isShell ? (browserHint() ?? null) : null,
  };
}

function extractAll(input: unknown): Outcome {
  const started = performance.now();
  const check = checkSchema(input);
  if (!check.ok) return { faults: check.faults, pages: [], ms: performance.now() - started };
  const parsers = { soft: compileParser(soften(check.schema)), strict: compileParser(check.schema) };
  const pages = [...kept.values()].map((parsed) => readPage(parsed, parsers));
  return { faults: [], pages, ms: performance.now() - started };
}

/** What sources give on a page; null where one gives nothing. */
function readData(pageId: string, sources: readonly object[]): unknown[] {
  const parsed = kept.get(pageId);
  if (parsed === undefined || 'reason' in parsed.document) return [];
  const { document, page } = parsed;
  return sources.map((source) => {
    const check = checkSchema({ fields: { value: { ...source, type: 'json' } } });
    if (!check.ok) return null;
    const extraction = extractFrom(compileParser(check.schema), document, factsOf(page));
    return extraction.ok ? extraction.data['value'] : null;
  });
}

/** What a schema gives on a page that isn't kept; null where the page is refused. */
function readOnce(page: KeptPage, schema: ParserSchema): Json | null {
  const document = parse(page.html);
  if ('reason' in document) return null;
  const extraction = extractFrom(compileParser(soften(schema)), document, factsOf(page));
  return extraction.ok ? extraction.data : null;
}

/** Proposes fields: from example values, or without any from what the page repeats and names. */
function suggest(page: KeptPage, examples?: Readonly<Record<string, string>>): Suggested {
  if ('reason' in parse(page.html)) return { schema: null, fields: [], data: null };
  const { schema, fields } = suggestSchema([{ ...factsOf(page), ...(examples && { examples }) }]);
  return { schema, fields: [...fields], data: schema && readOnce(page, schema) };
}

/** What the studio asks of this thread. */
const engine = {
  /** Takes pages in, and leaves out those that are not among the identifiers. */
  keep: (added: readonly KeptPage[], ids: ReadonlySet<string>): void => {
    for (const page of added) kept.set(page.id, { page, document: parse(page.html) });
    for (const id of kept.keys()) if (!ids.has(id)) kept.delete(id);
  },
  extract: extractAll,
  readData,
  readOnce,
  suggest,
};

export type Engine = typeof engine;

/** A call of one of the thread's functions; the answer goes to the port that comes with it. */
export interface Ask {
  name: keyof Engine;
  args: readonly unknown[];
}

/** What the function returned, or why it failed. */
export type Reply = { value: unknown } | { fault: string };

function answer({ name, args }: Ask): Reply {
  try {
    return { value: (engine[name] as (...given: readonly unknown[]) => unknown)(...args) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

addEventListener('message', ({ data, ports: [port] }: MessageEvent<Ask>) => {
  const reply = answer(data);
  port?.postMessage(reply);
});
// The thread is loaded.
postMessage(undefined);
