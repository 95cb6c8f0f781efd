import type { Database } from '@gleaner/db';
import { LRUCache } from 'lru-cache';
import { toBaseline, type Baseline, type HealthState, type HealthStats } from './health-stats.ts';

const MAX_ENTRIES = 2_000;
/** How old what a worker judges by may be. */
const AGE_MS = 1_000;

export interface HealthKey {
  parserId: string;
  version: number;
  host: string;
}

/** The statistics of parsers on hosts, each read about once a second. */
export interface Baselines {
  /** @param since statistics read before this time, on performance.now()'s clock, are too old */
  read(key: HealthKey, since: number): Promise<Baseline | undefined>;
}

interface Entry {
  baseline: Promise<Baseline | undefined>;
  readAt: number;
}

export function createBaselines({ sql }: Database): Baselines {
  const entries = new LRUCache<string, Entry>({ max: MAX_ENTRIES, ttl: AGE_MS });
  const load = async ({ parserId, version, host }: HealthKey): Promise<Baseline | undefined> => {
    const [row] = await sql<{ state: HealthState; fields: HealthStats['fields'] }[]>`
      SELECT state, stats -> 'fields' AS fields FROM gleaner.parser_health
      WHERE parser_id = ${parserId} AND version = ${version} AND host = ${host}`;
    return row && toBaseline(row.state, row.fields);
  };
  return {
    read: (key, since) => {
      const name = `${key.parserId}/${key.version}/${key.host}`;
      const known = entries.get(name);
      if (known !== undefined && known.readAt >= since) return known.baseline;
      // Without statistics, pages pass unjudged.
      const baseline = load(key).catch(() => undefined);
      entries.set(name, { baseline, readAt: performance.now() });
      return baseline;
    },
  };
}
