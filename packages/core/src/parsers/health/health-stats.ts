import type { ErrorCode, HealthState } from '@gleaner/contracts';
import { missingRate, stepsOf, type FieldCounts, type Passage, type Steps } from './drift-test.ts';
import type { StructureHealth } from './structure.ts';
import { limitsOf, type ValueLimits } from './value-profile.ts';
import type { ValueHealth, ValuesSeen } from './value-test.ts';
import type { Database } from '@gleaner/db';
import { READER } from '@gleaner/extractors';
import { LRUCache } from 'lru-cache';

/** The key of the extraction as a whole, beside the fields. */
export const WHOLE_PAGE = '*';

/** Number of hosts whose health is kept for each version of a parser; all others count together. */
export const MAX_HOSTS = 100;
/** The name of the others; no host has it. */
export const OTHER_HOSTS = '*';

export interface FieldHealth extends FieldCounts {
  /** Pages since the sum last stood at 0: they are learned when it does again, and forgotten after an alarm. */
  pending: FieldCounts;
  /** The CUSUM. */
  sum: number;
  /** The CUSUM of recovery, after an alarm. */
  recovery: number;
  /** It is missing on too many pages. */
  isBroken: boolean;
  /** Absent until a page with a note of its value comes. */
  values?: ValueHealth;
}

/** `parser_health.stats` */
export interface HealthStats {
  /** The reader of the pages, for `readerOf`. */
  reader?: number;
  fields: Record<string, FieldHealth>;
  failures: Partial<Record<ErrorCode, number>>;
  /** Absent until a page with a fingerprint comes. */
  structure?: StructureHealth;
  /** A page on which a broken field is missing. */
  example?: { url: string; run_id: string; seq: number };
  /** The run whose pages ended the healthy state. Absent in alarms of earlier versions. */
  alarmRun?: string;
  /**
   * Fields that the version or reader before read until they went missing, and that this one has never read: since when.
   * Without the key where there are none.
   */
  absent?: Record<string, string>;
}

/** A chunk's counts for one host between two flushes. */
export interface HealthDelta {
  /** The reader of the pages, for `readerOf`. */
  reader?: number;
  host: string;
  runId: string;
  pages: number;
  failures: Partial<Record<ErrorCode, number>>;
  /** For each path: pages, pages with a value, their effect on the sum, and the values in the order of their pages. */
  fields: Record<string, [pages: number, filled: number, passage: Passage, values?: ValuesSeen]>;
  /** Fingerprints of some of the pages, in their order. */
  structures?: (readonly number[])[];
  /** The last page that lacked a field which it should have. */
  suspect?: { url: string; seq: number };
}

/** How a field of a page is judged by what was learned. */
export interface FieldBaseline {
  /** The rate at which it is missing, and a page's steps of the CUSUM; undefined while that can't be tested. */
  missing: { rate: number; steps: Steps } | undefined;
  limits: ValueLimits | undefined;
}

/** The statistics by which workers judge pages. */
export interface Baseline {
  state: HealthState;
  fields: ReadonlyMap<string, FieldBaseline>;
}

export function toBaseline(state: HealthState, fields: HealthStats['fields']): Baseline {
  const judged = Object.entries(fields).map(([path, field]): [string, FieldBaseline] => {
    const rate = missingRate(field);
    return [
      path,
      {
        missing: rate === undefined ? undefined : { rate, steps: stepsOf(rate) },
        limits: field.values && limitsOf(field.values.known),
      },
    ];
  });
  return { state, fields: new Map(judged) };
}

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
