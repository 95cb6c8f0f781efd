import type { ParserSchema } from '@gleaner/contracts';
import { LRUCache } from 'lru-cache';
import { compileParser } from '../check-schema.ts';
import { extractParsed, parsePage } from '../engine/extract.ts';
import type { CompiledParser } from '../engine/types.ts';
import type { Extraction } from '../extraction.ts';
import { noteValues } from '../output/note-values.ts';
import type { Page } from '../page.ts';
import type { LinkReader, LinksWork } from './crawl-jobs.ts';
import { CACHED_PARSERS, jsonOf, type JobResult } from './protocol.ts';

export interface ExtractWork {
  parserKey: string;
  /** Left out when the thread already has it. */
  schema: ParserSchema | undefined;
  page: Page;
  explain: boolean;
  partial: boolean;
  /** Add notes of the values to the reports of the fields. */
  notesValues: boolean;
  /** Give the page's bytes back when it was moved here: `failed`, when fields fail. */
  returnsBody: 'failed' | 'always' | undefined;
  /** Read the page's links too, for a crawl. */
  links: LinksWork | undefined;
}

/** A parser's first pages get a fingerprint of their structure, then one in so many: it costs as much as all notes. */
const FIRST_STRUCTURES = 4;
const PAGES_PER_STRUCTURE = 8;

/** Extracts, and keeps the compiled parsers that were used last. */
export function createExtractor(linkReader: LinkReader) {
  const parsers = new LRUCache<string, { parser: CompiledParser; notedPages: number }>({
    max: CACHED_PARSERS,
  });

  const run = (
    { parserKey, schema, page, explain, partial, notesValues }: ExtractWork,
    document: ReturnType<typeof parsePage>,
  ): Extraction => {
    let entry = parsers.get(parserKey);
    if (entry === undefined) {
      if (schema === undefined) throw new Error(`the thread has no parser ${parserKey}`);
      entry = { parser: compileParser(schema), notedPages: 0 };
      parsers.set(parserKey, entry);
    }
    const isDue = entry.notedPages < FIRST_STRUCTURES || entry.notedPages % PAGES_PER_STRUCTURE === 0;
    if (notesValues) entry.notedPages += 1;
    return extractParsed(entry.parser, document, page, { explain, partial, structure: notesValues && isDue });
  };

  return async (work: ExtractWork): Promise<JobResult> => {
    const readLinks = work.links === undefined ? undefined : await linkReader(work.links);
    const document = parsePage(work.page);
    const extraction = run(work, document);
    const links = readLinks === undefined || 'reason' in document ? {} : { links: readLinks(document) };
    const { data, ...report } = extraction;
    const rest = { ...report, ...links };
    const isReturned = work.returnsBody === 'always' || (work.returnsBody === 'failed' && !extraction.ok);
    const body = isReturned && typeof work.page.body !== 'string' ? { body: work.page.body } : {};
    try {
      if (data === undefined) return { json: jsonOf(rest), ...body };
      if (work.notesValues) rest.fields = noteValues(extraction);
      return { json: jsonOf(rest), data: jsonOf(data), ...body };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const failure = { code: 'extraction_failed', detail: error.message, fields: [] };
      return { json: jsonOf({ ok: false, failure, fields: extraction.fields, ...links }), ...body };
    }
  };
}
