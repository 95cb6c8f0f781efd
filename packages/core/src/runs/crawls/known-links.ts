import { hash } from 'node:crypto';
import type { Database } from '@gleaner/db';
import { readLinkLine } from '@gleaner/extractors/crawl';
import { LRUCache } from 'lru-cache';

/** Crawls whose links one worker knows. */
const MAX_CRAWLS = 50;
/** Hashes of one crawl, about 20 bytes each: further links are sent and found known by Postgres. */
const MAX_HASHES = 2_000_000;
/** Characters of the addresses of one crawl that are known without computing their hash. */
const MAX_CHARACTERS = 4_000_000;
/** Rows of one read. */
const MAX_ROWS = 50_000;
/** How long what was read stays new enough. */
const KEEP_MS = 250;

interface Crawl {
  hashes: Set<number>;
  /** Addresses that are in the frontier. */
  texts: LRUCache<string, true>;
  /** The last number that was read, by depth. */
  numbers: number[];
  readAt: number;
  reading: Promise<void> | undefined;
}

interface NumberedRow {
  depth: number;
  number: number;
  hash: string;
}

/** The first 53 bits of the hash that the frontier has of an address, as a whole number. */
function shorten(bits: bigint): number {
  return Number(BigInt.asUintN(64, bits) >> 11n);
}

/**
 * Links that the frontier of a crawl has already. A worker drops them before it sends a page's links: a page of a site
 * mostly names pages that are known.
 */
export interface KnownLinks {
  /** The lines that may be new. @param runNo of the crawl's pages */
  filter(runNo: string, lines: readonly string[]): string[];
  /** Reads what was numbered since, in the background. */
  refresh(runNo: string): void;
}

export function createKnownLinks(
  db: Database,
  log: { warn: (fields: object, message: string) => void },
): KnownLinks {
  const crawls = new LRUCache<string, Crawl>({ max: MAX_CRAWLS });
  const crawlOf = (runNo: string): Crawl => {
    let crawl = crawls.get(runNo);
    if (crawl === undefined) {
      crawl = {
        hashes: new Set(),
        texts: new LRUCache({ maxSize: MAX_CHARACTERS, sizeCalculation: (_, url) => url.length }),
        numbers: [],
        readAt: -Infinity,
        reading: undefined,
      };
      crawls.set(runNo, crawl);
    }
    return crawl;
  };

  const readSome = (runNo: string, { numbers }: Crawl): Promise<NumberedRow[]> => {
    // Pages of one depth name pages of this depth and the next: nothing else is numbered meanwhile.
    const depths = [numbers.length - 2, numbers.length - 1, numbers.length].filter((depth) => depth >= 0);
    const after = depths.map((depth) => numbers[depth] ?? -1);
    return db.sql<NumberedRow[]>`
      SELECT f.depth, f.number, f.hash::text FROM unnest(
        ${`{${depths.join(',')}}`}::text::smallint[], ${`{${after.join(',')}}`}::text::int[]) d (depth, number)
      CROSS JOIN LATERAL (
        SELECT n.depth, n.number, n.hash FROM gleaner.frontier n
        WHERE n.run_no = ${runNo} AND n.depth = d.depth AND n.number > d.number ORDER BY n.number LIMIT ${MAX_ROWS}
      ) f`;
  };
  const read = async (runNo: string, crawl: Crawl): Promise<void> => {
    for (;;) {
      // Numbers of a depth are given in order, under the lock of the crawl: none below one that is seen comes later.
      const rows = await readSome(runNo, crawl);
      for (const { depth, number, hash: text } of rows) {
        crawl.hashes.add(shorten(BigInt(text)));
        crawl.numbers[depth] = Math.max(crawl.numbers[depth] ?? -1, number);
      }
      if (rows.length === 0 || crawl.hashes.size >= MAX_HASHES) return;
    }
  };
  const refresh = (runNo: string): void => {
    const crawl = crawlOf(runNo);
    const isNew = performance.now() - crawl.readAt < KEEP_MS;
    if (isNew || crawl.reading !== undefined || crawl.hashes.size >= MAX_HASHES) return;
    crawl.readAt = performance.now();
    crawl.reading = read(runNo, crawl)
      .catch((error: unknown) => log.warn({ err: error }, 'the known links of a crawl were not read'))
      .finally(() => {
        crawl.reading = undefined;
      });
  };

  const isKnown = ({ hashes, texts }: Crawl, url: string): boolean => {
    if (texts.has(url)) return true;
    if (!hashes.has(shorten(hash('md5', url, 'buffer').readBigUInt64BE()))) return false;
    texts.set(url, true);
    return true;
  };
  return {
    refresh,
    filter: (runNo, lines) => {
      const crawl = crawlOf(runNo);
      refresh(runNo);
      // A link of `next` may move its page up, and few name a source.
      return lines.filter((line) => {
        const { kind, url } = readLinkLine(line);
        return kind === 'n' || kind === 'i' || !isKnown(crawl, url);
      });
    },
  };
}
