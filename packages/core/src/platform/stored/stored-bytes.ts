import { statfs } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { AppError, type Operation } from '@gleaner/contracts';
import type { Database, Executor } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Settings } from '../config/settings.ts';

/** The part of its limit that an account may fill without credits. */
const FREE_SHARE = 1 / 20;
/** The part of its limit that kept pages and files may fill with all else: they hold up nothing but themselves. */
export const KEPT_SHARE = 0.9;
/** The part of the database's disk that stays free. */
const LEAST_FREE_DISK = 0.05;
const DISK = 'disk_free';

function formatBytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000).toLocaleString('en')} MB`;
}

type Limits = Pick<Settings, 'accountBytes'>;

export interface Stored {
  /** What the account stores, in bytes. Exact within a minute. */
  bytes: number;
  /** The part of it that cost no credits. */
  free_bytes: number;
  /** The free part of the database's disk; null: not known. */
  disk_free: number | null;
}

/** What an account stores, and the state of the disk. */
export async function readStored({ sql: query }: Database, accountId: string): Promise<Stored> {
  const [row] = await query<Stored[]>`
    SELECT coalesce(s.bytes, 0)::float8 AS bytes, coalesce(s.free_bytes, 0)::float8 AS free_bytes,
      (SELECT d.value::float8 FROM gleaner.settings d WHERE d.name = ${DISK}) AS disk_free
    FROM (SELECT 1) one LEFT JOIN gleaner.stored_bytes s ON s.account_id = ${accountId}`;
  return row ?? { bytes: 0, free_bytes: 0, disk_free: null };
}

/** What a call of an operation stores: records that cost no credits, or work whose results do; undefined: nothing that stays. */
export function storesOf({
  auth,
  method,
  creates,
  stores,
  errors,
}: Operation): 'records' | 'work' | undefined {
  if (auth !== 'key' || !(creates === true || stores === true || method === 'PUT')) return undefined;
  return errors.includes('pending_limit') ? 'work' : 'records';
}

const HINT =
  'Delete what you need no longer: samples, parsers, rows of managed tables. Results and kept pages expire.';

/** Why an account can store nothing more; undefined: it can. */
export function refuseStoring(
  { bytes, free_bytes: freeBytes, disk_free: diskFree }: Stored,
  what: 'records' | 'work',
  { accountBytes }: Limits,
): AppError | undefined {
  if (diskFree !== null && diskFree < LEAST_FREE_DISK)
    return new AppError('temporarily_unavailable', {
      detail:
        'less than 5 % of the database’s disk is free, so nothing is stored now; reading and deleting go on',
      retryAfterSeconds: 60,
    });
  const refuse = (detail: string): AppError =>
    new AppError('plan_limit_exceeded', { detail, hint: HINT, retryable: false });
  if (bytes >= accountBytes)
    return refuse(`the account stores ${formatBytes(bytes)}, and its limit is ${formatBytes(accountBytes)}`);
  const most = accountBytes * FREE_SHARE;
  if (what === 'records' && freeBytes >= most)
    return refuse(
      `parsers, samples, workflows and crons of the account take ${formatBytes(freeBytes)}, and their limit is ${formatBytes(most)}`,
    );
  return undefined;
}

/** Adds what a call stored, until the account is measured. Zero: it removed something. */
export async function addStored(
  { sql: query }: Database,
  accountId: string,
  { bytes, isFree }: { bytes: number; isFree: boolean },
): Promise<void> {
  const free = isFree ? bytes : 0;
  await query`
    INSERT INTO gleaner.stored_bytes AS s (account_id, bytes, free_bytes)
    SELECT a.id, ${bytes}::bigint, ${free}::bigint FROM gleaner.accounts a WHERE a.id = ${accountId}
    ON CONFLICT (account_id) DO UPDATE
    SET bytes = s.bytes + excluded.bytes, free_bytes = s.free_bytes + excluded.free_bytes, changed_at = clock_timestamp()`;
}

/** Adds the sums of accounts to their records. */
export async function readSums(db: Executor, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db.execute<{ id: string; bytes: string }>(sql`
    SELECT account_id AS id, bytes FROM gleaner.stored_bytes WHERE account_id IN ${ids}`);
  return new Map(rows.map(({ id, bytes }) => [id, Number(bytes)]));
}

/** The folder on the database's disk: the setting's, or that of a Postgres in our data folder; undefined: not known. */
async function findDisk(
  { sql: query }: Database,
  config: Pick<Settings, 'dataDir' | 'databaseDisk'>,
): Promise<string | undefined> {
  if (config.databaseDisk !== undefined) return config.databaseDisk;
  const [row] = await query<{ folder: string | null }[]>`
    SELECT setting AS folder FROM pg_settings WHERE name = 'data_directory'`;
  const folder = row?.folder ?? '';
  return folder.startsWith(resolve(config.dataDir) + sep) ? folder : undefined;
}

/** Notes how much of the database's disk is free. */
export async function noteDisk(
  db: Database,
  config: Pick<Settings, 'dataDir' | 'databaseDisk'>,
  measure: (folder: string) => Promise<{ bavail: number; blocks: number }> = statfs,
): Promise<void> {
  const folder = await findDisk(db, config);
  const state = folder === undefined ? undefined : await measure(folder).catch(() => undefined);
  if (state === undefined) {
    await db.sql`DELETE FROM gleaner.settings WHERE name = ${DISK}`;
    return;
  }
  const free = (state.bavail / Math.max(state.blocks, 1)).toFixed(3);
  await db.sql`
    INSERT INTO gleaner.settings AS s (name, value) VALUES (${DISK}, ${free})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE s.value <> excluded.value`;
}

/** What a worker asks before it runs a task: the answer is at most 3 s old. */
export interface StorageWatch {
  /** Why the account can store no result; undefined: it can. */
  refusalOf(accountId: string): Promise<AppError | undefined>;
  /** Whether the database's disk has room. */
  hasDisk(): Promise<boolean>;
}

const KNOWN_MS = 3_000;
const KNOWN_ACCOUNTS = 10_000;

export function createStorageWatch(db: Database, limits: Limits): StorageWatch {
  const known = new LRUCache<string, Stored>({
    max: KNOWN_ACCOUNTS,
    ttl: KNOWN_MS,
    fetchMethod: (id) => readStored(db, id),
  });
  return {
    refusalOf: async (accountId) => {
      // An older answer does when Postgres has none.
      const stored = await known.fetch(accountId, { allowStale: true }).catch(() => undefined);
      return stored && refuseStoring({ ...stored, disk_free: null }, 'work', limits);
    },
    hasDisk: async () => {
      const { disk_free: free } = await readStored(db, '');
      return free === null || free >= LEAST_FREE_DISK;
    },
  };
}
