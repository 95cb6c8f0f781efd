import type { Database } from '@gleaner/db';
import type { Way } from '@gleaner/contracts';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../platform/log/log.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';
import {
  adviseOn,
  expectedPrice,
  hasStopped,
  NO_NOTES,
  noteEvent,
  packNotes,
  unpackNotes,
  type WayEvent,
  type WayNotes,
} from './way-notes.ts';

/** How long a host is remembered after its last page. */
const DAY_MS = 86_400_000;
/** What one process remembers, of all accounts. */
const MOST_KEYS = 10_000;
/** Hosts with their parsers that one process stores for one account and day. */
const MOST_STORED = 1_000;
const MOST_OF_ONE_WRITE = 500;
const SYNC_MS = 1_000;
/** What other workers noted is read again after this long. */
const STALE_MS = 3_000;

/** Whose pages, of which host, read by which parser; made by `wayKey`. */
export type WayKey = string & { readonly brand: 'WayKey' };

/** What pages showed of the ways at their hosts, over all workers, for a day. */
export interface WayMemory {
  /** What is known of one way. It never fails: without Postgres nothing is known. */
  read(key: WayKey, at: number): Promise<WayNotes>;
  /** What becomes of the next page, which is noted. */
  advise(key: WayKey, at: number): Promise<'go' | 'skip'>;
  /** Whether pages take the next way no more. */
  hasStopped(key: WayKey, at: number): Promise<boolean>;
  /** Whether pages begin at the way, rather than at the next one. */
  isTried(key: WayKey, at: number): Promise<boolean>;
  note(key: WayKey, at: number, event: WayEvent): void;
  close(): Promise<void>;
}

export function wayKey(accountId: string, host: string, target: TaskTarget): WayKey {
  const parser = 'parserId' in target ? target.parserId : target.type;
  return `${accountId} ${host.slice(0, 253)} ${parser}` as WayKey;
}

interface Entry {
  notes: WayNotes;
  /** Not stored yet. */
  events: WayEvent[];
  readAt: number;
  /** Whether it may have a row. */
  isStored: boolean;
}

const NOW = `(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Rows of `gleaner.rate_limits`, which expire by themselves: a key, packed notes, and the end of their day. */
async function readStored({ sql }: Database, keys: readonly string[]): Promise<Map<string, WayNotes>> {
  const rows = await sql<{ key: string; points: number }[]>`
    SELECT key, points FROM gleaner.rate_limits WHERE key = ANY (${keys}) AND expire > ${sql.unsafe(NOW)}`;
  return new Map(rows.map(({ key, points }) => [key, unpackNotes(points)]));
}

/** Adds events to what is stored, in one transaction. @returns what is known then */
async function addStored(
  db: Database,
  events: ReadonlyMap<string, readonly WayEvent[]>,
): Promise<Map<string, WayNotes>> {
  const keys = [...events.keys()].toSorted();
  return db.sql.begin(async (sql) => {
    const rows = await sql<{ key: string; points: number }[]>`
      SELECT key, points FROM gleaner.rate_limits WHERE key = ANY (${keys}) AND expire > ${sql.unsafe(NOW)}
      ORDER BY key FOR NO KEY UPDATE`;
    const stored = new Map(rows.map(({ key, points }) => [key, unpackNotes(points)]));
    const changed = new Map(
      keys.map((key) => [key, (events.get(key) ?? []).reduce(noteEvent, stored.get(key) ?? NO_NOTES)]),
    );
    await sql`
      INSERT INTO gleaner.rate_limits (key, points, expire)
      SELECT n.key, n.points, ${sql.unsafe(NOW)} + ${DAY_MS}::bigint
      FROM unnest(${keys}::text[], ${[...changed.values()].map(packNotes)}::int[]) n (key, points) ORDER BY n.key
      ON CONFLICT (key) DO UPDATE SET points = excluded.points, expire = excluded.expire`;
    return changed;
  });
}

function nameOf(key: WayKey, at: number): string {
  return `way:${at} ${key}`;
}

/** Decides which hosts are worth a row: some page climbed, and the account has not too many of them. */
function createStoreRule(): (name: string, entry: Entry, events: readonly WayEvent[]) => boolean {
  const storedOf = new LRUCache<string, number>({ max: MOST_KEYS, ttl: DAY_MS });
  return (name, entry, events) => {
    if (entry.isStored) return true;
    if (!events.includes('climbed') && !events.includes('vain')) return false;
    const [, account = ''] = name.split(' ');
    const count = storedOf.get(account) ?? 0;
    entry.isStored = count < MOST_STORED;
    if (entry.isStored) storedOf.set(account, count + 1, { noUpdateTTL: true });
    return entry.isStored;
  };
}

/**
 * What this process knows, which it shares with others about once a second. A host of which no page had to climb is not
 * stored, so most hosts cost one look-up.
 */
export function createWayMemory(db: Database, log: Pick<Logger, 'warn'>, now = Date.now): WayMemory {
  const entries = new LRUCache<string, Entry>({ max: MOST_KEYS });
  const isStorable = createStoreRule();
  const loading = new Map<string, Promise<Entry>>();
  const changed = new Set<string>();
  let warnedAt = 0;

  const failed = (err: unknown): void => {
    if (now() - warnedAt < 60_000) return;
    warnedAt = now();
    log.warn({ err }, 'what hosts showed of ways could not be shared with other workers');
  };
  const keep = (name: string, notes: WayNotes): Entry => {
    // What was noted since the read began is not in it.
    const { events = [], isStored = false } = entries.get(name) ?? {};
    const entry = { notes: events.reduce(noteEvent, notes), events, readAt: now(), isStored };
    entries.set(name, entry);
    return entry;
  };
  const load = async (name: string): Promise<Entry> =>
    keep(name, (await readStored(db, [name]).catch(failed))?.get(name) ?? NO_NOTES);
  const find = async (key: WayKey, at: number): Promise<Entry> => {
    const name = nameOf(key, at);
    const known = entries.get(name);
    if (known !== undefined && (now() - known.readAt < STALE_MS || known.events.length > 0)) return known;
    const begun = loading.get(name) ?? load(name).finally(() => loading.delete(name));
    loading.set(name, begun);
    return begun;
  };
  const note = (key: WayKey, at: number, event: WayEvent): void => {
    const name = nameOf(key, at);
    const entry = entries.get(name) ?? { notes: NO_NOTES, events: [], readAt: now(), isStored: false };
    entry.notes = noteEvent(entry.notes, event);
    entries.set(name, entry);
    // A host that every page can be read of plainly needs no row.
    if (event === 'read' && entry.notes.last === 0 && entry.notes.share === 0) return;
    entry.events.push(event);
    changed.add(name);
  };
  const sync = async (): Promise<void> => {
    const names = [...changed].slice(0, MOST_OF_ONE_WRITE);
    const sent = new Map<string, WayEvent[]>();
    for (const name of names) {
      changed.delete(name);
      const entry = entries.get(name);
      const events = entry?.events.splice(0) ?? [];
      if (entry !== undefined && isStorable(name, entry, events)) sent.set(name, events);
    }
    if (sent.size === 0) return;
    try {
      for (const [name, notes] of await addStored(db, sent)) keep(name, notes);
    } catch (error) {
      failed(error);
    }
  };
  let syncing = Promise.resolve();
  const timer = setInterval(() => {
    syncing = syncing.then(sync);
  }, SYNC_MS);
  timer.unref();

  return {
    read: async (key, at) => (await find(key, at)).notes,
    hasStopped: async (key, at) => hasStopped((await find(key, at)).notes),
    isTried: async (key, at) => adviseOn((await find(key, at)).notes) === 'try',
    advise: async (key, at) => {
      const { notes } = await find(key, at);
      const advice = adviseOn(notes);
      if (advice !== 'try') note(key, at, advice);
      return advice === 'skipped' ? 'skip' : 'go';
    },
    note,
    close: async () => {
      clearInterval(timer);
      await syncing;
      while (changed.size > 0) await sync();
    },
  };
}

/** Credits of a page that is expected to cost as others of its host did. */
export async function readExpectedPrice(
  db: Database,
  ways: readonly Way[],
  pages: ReadonlyMap<WayKey, number>,
): Promise<number> {
  const names = [...pages.keys()].flatMap((key) => ways.map((_, at) => nameOf(key, at)));
  const stored = await readStored(db, names);
  let sum = 0;
  let count = 0;
  for (const [key, of] of pages) {
    sum += of * expectedPrice(ways, (at) => stored.get(nameOf(key, at)) ?? NO_NOTES);
    count += of;
  }
  return count === 0 ? (ways[0]?.price ?? 0) : sum / count;
}
