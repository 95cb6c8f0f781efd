import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { openFeed, type Product } from './testing/open-feed.ts';
import type { Change } from './show-change.ts';

const feeds = [await openFeed('managed'), await openFeed('external')] as const;
afterAll(async () => {
  for (const feed of feeds) await feed.close();
});

const ROUNDS = 2;
const WRITERS = 5;
const WRITES = 10;
const READERS = 3;
const KILLS = 40;
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
/** Columns that count; `stock` is volatile. */
const COUNTING = ['price', 'tags', 'seen'] as const;

function pick<T>(items: readonly T[]): T {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick');
  return item;
}

function randomProducts(): Product[] {
  return KEYS.filter(() => Math.random() < 0.5).map((sku) => ({
    sku,
    price: pick([null, 1, 2, 2.5]),
    stock: pick([1, 2, 3]),
    tags: pick([null, ['x'], { y: 1 }]),
    seen: pick([null, '2026-01-01T00:00:00Z', '2026-01-02']),
  }));
}

type Row = Record<string, unknown>;

/** What a reader makes of the changes, in their order. */
function createFold() {
  const rows = new Map<string, Row>();
  const faults: string[] = [];
  let last = '';
  return {
    rows,
    faults,
    add: (change: Change): void => {
      const key = String(change.key['sku']);
      const known = rows.get(key);
      if (change.id <= last) faults.push(`${change.id} after ${last}`);
      last = change.id;
      if (change.row) {
        if (known) faults.push(`${change.kind} of a known row: ${key}`);
        rows.set(key, Object.fromEntries(COUNTING.map((name) => [name, change.row?.[name]])));
        return;
      }
      for (const [name, value] of Object.entries(change.before ?? {}))
        if (JSON.stringify(known?.[name]) !== JSON.stringify(value)) faults.push(`before of ${key}.${name}`);
      rows.set(key, { ...known, ...change.after });
    },
  };
}

async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 1_000) throw error;
      await delay(10);
    }
  }
}

it.each([
  ['managed', feeds[0]],
  ['external', feeds[1]],
] as const)(
  'folded, the changes are the table, whatever is killed: %s',
  async (_kind, feed) => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const table = `t${round}`;
      const first = await feed.open({
        table,
        history: true,
        volatile: ['stock'],
        nulls: pick(['keep', 'overwrite']),
      });
      await feed.save(first, []);
      let isWriting = true;
      const write = async (): Promise<void> => {
        const writer = await untilDone(() => feed.open({ table, nulls: pick(['keep', 'overwrite']) }));
        for (let count = 1; count <= WRITES; count += 1) {
          const products = randomProducts();
          const page = { second: Math.floor(Math.random() * 800), url: pick(['http://a/', 'http://b/']) };
          // Whether a lost answer was written is not known: it is written again, or given up.
          if (Math.random() < 0.8) await untilDone(() => feed.save(writer, products, page));
          else await feed.save(writer, products, page).catch(() => undefined);
        }
      };
      const read = async () => {
        const fold = createFold();
        let after: string | undefined;
        for (let isLast = false; ;) {
          const page = await untilDone(() =>
            feed.changes(table, { ...(after === undefined ? {} : { after }), limit: pick([1, 2, 7, 100]) }),
          );
          page.changes.forEach(fold.add);
          after = page.cursor;
          if (page.changes.length > 0) continue;
          if (isLast) return fold;
          isLast = !isWriting;
          await delay(1);
        }
      };
      const kill = async (): Promise<void> => {
        for (let kills = 1; isWriting && kills <= KILLS; kills += 1) {
          await feed.sql`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
              AND query LIKE '%\_gleaner\_%' ORDER BY random() LIMIT 1`.catch(() => undefined);
          await delay(Math.random() * 100);
        }
      };
      const readers = Array.from({ length: READERS }, read);
      const killer = kill();
      await Promise.all(Array.from({ length: WRITERS }, write));
      isWriting = false;
      await killer;
      const found = await untilDone(() => feed.rows(table));
      for (const fold of await Promise.all(readers)) {
        expect(fold.faults).toEqual([]);
        expect(Object.fromEntries(fold.rows)).toEqual(
          Object.fromEntries(
            found.map((row) => [
              row['sku'],
              {
                price: row['price'],
                tags: row['tags'],
                seen: row['seen'] === null ? null : new Date(row['seen'] as string).toISOString(),
              },
            ]),
          ),
        );
        expect(fold.rows.size).toBeGreaterThan(3);
      }
    }
  },
  300_000,
);
