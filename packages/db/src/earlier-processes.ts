import type { ProcessKind } from '@gleaner/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import type postgres from 'postgres';
import { runMigration, type Migration } from './migrations.ts';

/** The first line of a migration beside which no worker and no scheduler of an earlier version may run. */
const ALONE = '-- without earlier workers and schedulers';
const KINDS = ['worker', 'scheduler'] as const satisfies readonly ProcessKind[];
/** They report each minute: a process that was not seen for this long has ended. */
const SEEN_WITHIN_SECONDS = 75;
/** Longer than the row of a process that was killed counts. */
export const WAIT_MS = 90_000;
const LOOK_MS = 500;
/** A kind without a session in the database for this long has ended; each of them sends a statement every second. */
const SILENT_MS = 3_000;
/** The number of processes that a message names. */
const NAMED = 50;

/** A worker or scheduler of an earlier version, as it reported itself. */
export interface EarlierProcess {
  id: string;
  kind: string;
  version: string;
  host: string;
  pid: number;
}

export interface WaitOptions {
  /** How long to wait for them to end. */
  waitMs: number;
  /** Through a pooler nobody knows whose sessions are open. */
  isPooled: boolean;
  /** Called once, when it begins to wait. */
  onWait?: ((sentence: string) => void) | undefined;
}

/** A migration was refused, because processes of an earlier version run. The message names each. */
export class EarlierProcessesError extends Error {
  constructor(processes: readonly EarlierProcess[]) {
    super(
      `this migration can't run beside ${nameAll(processes)} of an earlier version: stop them with SIGTERM (they give their chunks back, which costs no attempt; the API may go on), then migrate again`,
    );
    this.name = 'EarlierProcessesError';
  }
}

/** Whether it must not run beside workers and schedulers of an earlier version. */
export function isAlone({ statements }: Pick<Migration, 'statements'>): boolean {
  return statements[0]?.startsWith(ALONE) === true;
}

/** Names each process, such as `worker 0.1.0 (ea3d4ebfd128) on host a (pid 7)`. */
export function nameAll(processes: readonly EarlierProcess[]): string {
  const names = processes
    .slice(0, NAMED)
    .map(({ kind, version, host, pid }) => `${kind} ${version} on host ${host} (pid ${pid})`);
  const more = processes.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Workers and schedulers that reported themselves lately, so they are of a version before a migration that the
 * database lacks: those of later versions do not start without it.
 */
async function listReported(sql: postgres.ISql): Promise<EarlierProcess[]> {
  const [found] = await sql<{ exists: boolean }[]>`
    SELECT to_regclass('gleaner.processes') IS NOT NULL AS exists`;
  if (found?.exists !== true) return [];
  return sql<EarlierProcess[]>`
    SELECT id, kind, version, host, pid FROM gleaner.processes
    WHERE kind = ANY(${[...KINDS]}) AND seen_at > clock_timestamp() - ${SEEN_WITHIN_SECONDS} * interval '1 s'
    ORDER BY kind DESC, host, pid`;
}

/** The kinds of which a process has a session in this database. */
async function listConnected(sql: postgres.ISql): Promise<Set<string>> {
  const rows = await sql<{ kind: string }[]>`
    SELECT DISTINCT substr(application_name, length('gleaner-') + 1) AS kind FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = ANY(${KINDS.map((kind) => `gleaner-${kind}`)})`;
  return new Set(rows.map(({ kind }) => kind));
}

/** Earlier processes that run, as far as one look shows. */
export async function listEarlier(sql: postgres.ISql, isPooled: boolean): Promise<EarlierProcess[]> {
  const reported = await listReported(sql);
  if (isPooled || reported.length === 0) return reported;
  const connected = await listConnected(sql);
  return reported.filter(({ kind }) => connected.has(kind));
}

/**
 * Waits until no worker and no scheduler of an earlier version runs. One that was killed leaves its row: it doesn't count
 * when its kind has no session, or no longer than it reports itself.
 * @returns the ids of such rows
 * @throws EarlierProcessesError when some still run after the wait
 */
export async function untilAlone(sql: postgres.ISql, options: WaitOptions): Promise<ReadonlySet<string>> {
  const { waitMs, isPooled, onWait } = options;
  const until = performance.now() + waitMs;
  const silentSince = new Map<string, number>();
  let hasTold = false;
  for (;;) {
    const reported = await listReported(sql);
    if (reported.length === 0) return new Set();
    const connected = isPooled ? new Set<string>(KINDS) : await listConnected(sql);
    const now = performance.now();
    for (const kind of KINDS) {
      if (connected.has(kind)) silentSince.delete(kind);
      else if (!silentSince.has(kind)) silentSince.set(kind, now);
    }
    if (reported.every(({ kind }) => now - (silentSince.get(kind) ?? now) >= SILENT_MS))
      return new Set(reported.map(({ id }) => id));
    const running = reported.filter(({ kind }) => !silentSince.has(kind));
    if (running.length > 0 && now >= until) throw new EarlierProcessesError(running);
    if (running.length > 0 && !hasTold) {
      hasTold = true;
      onWait?.(
        `waiting for ${nameAll(running)} to end, for ${Math.ceil(waitMs / 1000)} s at most: stop them with SIGTERM; they give their chunks back, which costs no attempt`,
      );
    }
    await delay(LOOK_MS);
  }
}

/**
 * Applies a migration in a transaction in which no process can start, if no worker and no scheduler has started meanwhile.
 * @param ended ids of rows whose processes have ended
 */
export async function applyAlone(
  sql: postgres.Sql,
  migration: Migration,
  ended: ReadonlySet<string>,
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`LOCK TABLE gleaner.processes IN SHARE ROW EXCLUSIVE MODE`;
    const running = (await listReported(tx)).filter(({ id }) => !ended.has(id));
    if (running.length > 0) throw new EarlierProcessesError(running);
    await runMigration(tx, migration);
  });
}
