import type { HealthState } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import { READER } from '@gleaner/extractors';
import { LRUCache } from 'lru-cache';
import { MAX_HOSTS, OTHER_HOSTS, toBaseline, type Baseline, type HealthStats } from '@gleaner/learn/drift';

const MAX_ENTRIES = 2_000;
const MAX_PARSERS = 500;
/** How old what a worker judges by may be. */
const AGE_MS = 1_000;
const HOSTS_AGE_MS = 5_000;

export interface HealthKey {
  parserId: string;
  version: number;
  host: string;
}

export type Baselines = ReturnType<typeof createBaselines>;

interface Entry {
  baseline: Promise<Baseline | undefined>;
  readAt: number;
}

/** The statistics of parsers on hosts, each read about once a second. */
export function createBaselines({ sql }: Database) {
  const entries = new LRUCache<string, Entry>({ max: MAX_ENTRIES, ttl: AGE_MS });
  const hosts = new LRUCache<string, Promise<Set<string>>>({ max: MAX_PARSERS, ttl: HOSTS_AGE_MS });
  const load = async ({ parserId, version, host }: HealthKey): Promise<Baseline | undefined> => {
    const [row] = await sql<{ state: HealthState; fields: HealthStats['fields'] }[]>`
      SELECT state, stats -> 'fields' AS fields FROM gleaner.parser_health
      WHERE parser_id = ${parserId} AND version = ${version} AND host = ${host}
        AND coalesce((stats ->> 'reader')::int, 1) = ${READER}`;
    return row && toBaseline(row.state, row.fields);
  };
  const loadHosts = async ({ parserId, version }: HealthKey): Promise<Set<string>> => {
    const rows = await sql<{ host: string }[]>`
      SELECT host FROM gleaner.parser_health WHERE parser_id = ${parserId} AND version = ${version}`;
    return new Set(rows.map(({ host }) => host));
  };
  /** Hosts count as known as soon as this process has seen them; the roll-up keeps the limit over all processes. */
  const nameOf = async (key: HealthKey): Promise<string> => {
    const name = `${key.parserId}/${key.version}`;
    const loading = hosts.get(name) ?? loadHosts(key).catch(() => new Set<string>());
    hosts.set(name, loading, { noUpdateTTL: true });
    const known = await loading;
    if (known.size < MAX_HOSTS) known.add(key.host);
    return known.has(key.host) ? key.host : OTHER_HOSTS;
  };
  return {
    /**
     * The host under which a page counts, which is OTHER_HOSTS beyond the first MAX_HOSTS, and what is known of it.
     * @param since statistics read before this time, on performance.now()'s clock, are too old
     */
    read: async (
      key: HealthKey,
      since: number,
    ): Promise<{ host: string; baseline: Baseline | undefined }> => {
      const host = await nameOf(key);
      const name = `${key.parserId}/${key.version}/${host}`;
      const known = entries.get(name);
      if (known !== undefined && known.readAt >= since) return { host, baseline: await known.baseline };
      // Without statistics, pages pass unjudged.
      const baseline = load({ ...key, host }).catch(() => undefined);
      entries.set(name, { baseline, readAt: performance.now() });
      return { host, baseline: await baseline };
    },
  };
}
