import type { CrawlRules } from './compile-crawl.ts';
import {
  createSourceLines,
  SOURCE_LIMITS,
  type SourceEntry,
  type SourceLines,
  type SourceReader,
} from './source-lines.ts';
import { sourceText } from './source-text.ts';
import { createXmlReader } from './xml-reader.ts';

/** What a crawl reads for addresses, beside pages. */
export type SourceKind = 'robots' | 'sitemap' | 'feed';

/** What a source gives. */
export interface SourceLinks {
  /** As `linkLine` writes them, each address once, in the order of the source. */
  lines: string[];
  /** Why nothing can be read of it: what it is instead. */
  fault?: string;
  /** How many entries of a sitemap or a feed have no valid address of http or https. */
  faulty?: number;
  /** It ends in the middle or is beyond the limits: `lines` has what came before. */
  truncated?: boolean;
}

/** Gives the lines of a text that comes in parts. Of a long line only the start is kept. */
function createLineSplitter(take: (line: string) => void): Pick<SourceReader, 'write' | 'end'> {
  let rest = '';
  return {
    write(text) {
      const lines = text.split(/\r\n|\r|\n/);
      const last = lines.pop() ?? '';
      for (const line of lines) {
        take(rest + line);
        rest = '';
      }
      rest = (rest + last).slice(0, SOURCE_LIMITS.value);
    },
    end(isCut) {
      if (!isCut && rest !== '') take(rest);
    },
  };
}

/** Reads the sitemaps that robots.txt names; the usual one where it names none. */
function createRobotsReader(lines: SourceLines): SourceReader {
  const splitter = createLineSplitter((line) => {
    const address = /^\s*site-?map\s*:\s*([^#\s]+)/i.exec(line)?.[1];
    if (address !== undefined) lines.addSitemap({ address });
  });
  return {
    write: splitter.write,
    end(isCut) {
      splitter.end(isCut);
      if (lines.lines.length === 0) lines.addSitemap({ address: '/sitemap.xml' });
    },
    fault: () => undefined,
  };
}

/** Reads a sitemap of one address a line. */
function createListReader(lines: SourceLines): SourceReader {
  let written = 0;
  const splitter = createLineSplitter((line) => {
    const address = line.trim();
    if (address === '') return;
    written += 1;
    if (/^https?:\/\//i.test(address)) lines.addPage('s', { address });
  });
  return {
    ...splitter,
    fault: () =>
      written > 0 && lines.lines.length === 0 ? 'is neither XML nor a list of addresses' : undefined,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, SOURCE_LIMITS.value) : undefined;
}

function entryOf(item: unknown): SourceEntry {
  if (typeof item !== 'object' || item === null) return { address: undefined };
  const { url, external_url, date_modified, date_published } = item as Record<string, unknown>;
  return {
    address: textOf(url) ?? textOf(external_url),
    modified: textOf(date_modified) ?? textOf(date_published),
  };
}

/** The items of a JSON Feed (jsonfeed.org); undefined for other JSON. */
function itemsOf(text: string): unknown[] | undefined {
  try {
    const feed: unknown = JSON.parse(text);
    const items = typeof feed === 'object' && feed !== null && 'items' in feed ? feed.items : undefined;
    return Array.isArray(items) ? items : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a JSON Feed, as a whole. */
function createJsonFeedReader(lines: SourceLines): SourceReader {
  const parts: string[] = [];
  let length = 0;
  let fault: string | undefined;
  return {
    write(text) {
      length += text.length;
      if (length > SOURCE_LIMITS.jsonBytes) fault = 'is JSON of more than 10 MB';
      else parts.push(text);
    },
    end() {
      if (fault !== undefined) return;
      const items = itemsOf(parts.join(''));
      if (items === undefined) fault = 'is not a JSON Feed';
      for (const item of items ?? []) {
        if (lines.isFull()) return;
        lines.addPage('f', entryOf(item));
      }
    },
    fault: () => fault,
  };
}

/** The reader for a text that begins so; undefined for what begins no feed. */
function readerFor(kind: SourceKind, start: string, lines: SourceLines): SourceReader | undefined {
  if (kind === 'robots') return createRobotsReader(lines);
  if (start.startsWith('<')) return createXmlReader(kind === 'feed' ? 'f' : 's', lines);
  if (kind === 'sitemap') return createListReader(lines);
  return start.startsWith('{') ? createJsonFeedReader(lines) : undefined;
}

const UNLIKE: Readonly<Record<SourceKind, string>> = {
  robots: 'names no sitemaps',
  sitemap: 'is no sitemap',
  feed: 'is neither RSS, Atom nor a JSON Feed',
};

/**
 * Reads a robots.txt, a sitemap (XML, index, text, feed) or a feed (RSS, Atom, JSON Feed), also as a gzip file. It keeps
 * no more than a part of it in memory, but of JSON. Faults of the source are part of the result and never thrown.
 */
export async function readSource(
  kind: SourceKind,
  body: Uint8Array,
  url: string,
  rules: CrawlRules,
): Promise<SourceLinks> {
  const lines = createSourceLines(url, rules);
  const end = { isCut: false };
  let reader: SourceReader | undefined;
  const limit = kind === 'robots' ? SOURCE_LIMITS.robotsBytes : SOURCE_LIMITS.bytes;
  for await (const text of sourceText(body, limit, end)) {
    const start = reader === undefined ? text.trimStart() : text;
    if (start === '') continue;
    reader ??= readerFor(kind, start, lines);
    if (reader === undefined) return { lines: [], fault: UNLIKE[kind] };
    reader.write(start);
    if (reader.fault() !== undefined || lines.isFull()) break;
  }
  if (reader === undefined && kind === 'robots') reader = createRobotsReader(lines);
  reader?.end(end.isCut || lines.isFull());
  const fault = reader === undefined ? 'is empty' : (reader.fault() ?? faultOf(lines));
  // What is wrong with a document that gave addresses is wrong with its rest.
  if (fault !== undefined && lines.lines.length === 0) return { lines: [], fault };
  const isWhole = !end.isCut && !lines.isFull() && fault === undefined && reader?.isUnfinished?.() !== true;
  const { faulty } = lines;
  return {
    lines: lines.lines,
    ...(faulty === 0 || kind === 'robots' ? {} : { faulty }),
    ...(isWhole ? {} : { truncated: true }),
  };
}

/** A source is not empty because nothing in it can be understood. */
function faultOf({ lines, faulty }: SourceLines): string | undefined {
  return faulty > 0 && lines.length === 0 ? `gives no address in its ${faulty} entries` : undefined;
}
