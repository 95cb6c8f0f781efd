import type { CrawlRules } from './compile-crawl.ts';
import { createJsonFeedReader } from './json-feed-reader.ts';
import { createListReader, createRobotsReader } from './line-reader.ts';
import { createSourceLines, SOURCE_LIMITS, type SourceLines } from './source-lines.ts';
import type { SourceReader } from './source-reader.ts';
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
  const isWhole = !end.isCut && !lines.isFull() && fault === undefined && reader?.isUnfinished() !== true;
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
