import { MAX_CRAWL_URL_LENGTH } from '@gleaner/contracts/values';
import { createDateReader } from '../values/date.ts';
import type { CrawlRules } from './compile-crawl.ts';
import { linkLine } from './link-line.ts';

/** Bounds of one sitemap or feed: those of the sitemap protocol, and one for the text that it gives. */
export const SOURCE_LIMITS = {
  bytes: 50 * 1024 * 1024,
  entries: 50_000,
  /** Characters of all lines. */
  characters: 20_000_000,
  /** Bytes of robots.txt, as Google reads it. */
  robotsBytes: 500 * 1024,
  /** Bytes of a JSON feed, which is read as a whole. */
  jsonBytes: 10 * 1024 * 1024,
  /** Characters of one value. */
  value: 2 * MAX_CRAWL_URL_LENGTH,
  /** Nesting of XML. */
  depth: 100,
} as const;

/** An address that a source gives, as it is written. */
export interface SourceEntry {
  address: string | undefined;
  modified?: string | undefined;
  /** The `xml:base` around a relative address. Default: the source's own address. */
  base?: string | undefined;
}

const readDate = createDateReader({ kind: 'datetime' });

/** The time in ISO 8601; undefined for what is none. Sitemaps also know years and months. */
function modifiedAt(written: string | undefined): string | undefined {
  const text = written?.trim() ?? '';
  if (text === '') return undefined;
  const [year, month = '01'] = /^\d{4}(?:-\d\d)?$/.test(text) ? text.split('-') : [];
  const reading = readDate(year === undefined ? text : `${year}-${month}-01`);
  return reading.state === 'value' ? reading.value : undefined;
}

export type SourceLines = ReturnType<typeof createSourceLines>;

/** Collects the lines of one source, each address once. */
export function createSourceLines(base: string, rules: CrawlRules) {
  const lines: string[] = [];
  const seen = new Set<string>();
  let characters = 0;
  let faulty = 0;
  let isFull = false;

  const add = (
    address: string | null,
    write: (address: string, modified?: string) => string,
    modified?: string,
  ): void => {
    if (address === null) faulty += 1;
    if (address === null || seen.has(address)) return;
    isFull = lines.length >= SOURCE_LIMITS.entries || characters > SOURCE_LIMITS.characters;
    if (isFull) return;
    seen.add(address);
    const line = write(address, modifiedAt(modified));
    characters += line.length;
    lines.push(line);
  };
  const textOf = (address: string | undefined): string => address?.trim() ?? '';

  return {
    lines,
    /** The address of the source. */
    base,
    /** The limits are reached: nothing more is taken. */
    isFull: (): boolean => isFull,
    /** A page. `kind`: an entry of a sitemap, of a feed. */
    addPage: (kind: 's' | 'f', { address, modified, base: inner = base }: SourceEntry): void => {
      const text = textOf(address);
      const url = text === '' ? null : rules.normalise(text, inner);
      add(url, (known, time) => linkLine(kind, known, rules, time), modified);
    },
    // A sitemap of another host is read: its entries are judged.
    addSitemap: ({ address, modified }: SourceEntry): void => {
      const text = textOf(address);
      const url = text === '' ? null : rules.normaliseSource(text, base);
      add(url, (known, time) => linkLine('i', `sitemap ${known}`, undefined, time), modified);
    },
    /** Entries whose address can't be read. */
    get faulty(): number {
      return faulty;
    },
  };
}

/** Takes the text of a source in parts, and adds the entries that are whole. */
export interface SourceReader {
  write(text: string): void;
  /** Ends the source. `isCut`: its rest is missing, and what the last part began is no entry. */
  end(isCut: boolean): void;
  /** Why the source can't be read; undefined while it can. */
  fault(): string | undefined;
  /** The document ends before what it began. */
  isUnfinished?(): boolean;
}
