import type { Database } from '@gleaner/db';
import { LRUCache } from 'lru-cache';
import type { Baseline, HealthState, HealthStats } from './health-stats.ts';

const MAX_ENTRIES = 2_000;
/** How old what a worker judges by may be. */
const AGE_MS = 1_000;

export interface HealthKey {
  parserId: string;
  version: number;
  host: string;
}

/** What is known of parsers on hosts, read at most once a second each. */
export interface Baselines {
  read(key: HealthKey): Promise<Baseline | undefined>;
}

export function createBaselines({ sql }: Database): Baselines {
  const entries = new LRUCache<string, Promise<Baseline | undefined>>({ max: MAX_ENTRIES, ttl: AGE_MS });
  const load = async ({ parserId, version, host }: HealthKey): Promise<Baseline | undefined> => {
    const [row] = await sql<{ state: HealthState; stats: HealthStats }[]>`
      SELECT state, stats FROM gleaner.parser_health
      WHERE parser_id = ${parserId} AND version = ${version} AND host = ${host}`;
    return row && { state: row.state, fields: row.stats.fields };
  };
  return {
    read: (key) => {
      const name = `${key.parserId}/${key.version}/${key.host}`;
      const known = entries.get(name);
      if (known !== undefined) return known;
      // Without it pages are judged by nothing, and go on.
      const loading = load(key).catch(() => undefined);
      entries.set(name, loading);
      return loading;
    },
  };
}
