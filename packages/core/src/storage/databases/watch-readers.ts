import { type Database, errorCodeOf, PG_ERRORS } from '@gleaner/db';
import type { Logger } from '../../platform/log/log.ts';

/** What the sessions of readers may do, whatever they set: Postgres lets a login lift most limits of its role. */
const LIMITS = {
  /** Age of a transaction, which keeps vacuum from cleaning all tables. */
  transactionMs: 600_000,
  /** How long one may keep a session of the service waiting for a lock. */
  blockMs: 1_000,
  /** How long a listener may leave its notices unread, because it keeps those of everybody. */
  unreadNoticesMs: 5_000,
  /** And how long rows, of which a slow client reads some all the time. */
  unreadRowsMs: 60_000,
  /** Sessions of an account, so that its logins don't take the connections of all others. */
  sessions: 20,
  /** Memory of all sessions of an account. A login may raise its `work_mem`, and build values of 1 GB without it. */
  memoryBytes: 1_073_741_824,
  /** Share of Postgres's queue of notices. When it is full, no transaction with a notice can commit. */
  queueShare: 0.02,
};

type Reason = 'transaction' | 'lock' | 'sessions' | 'memory' | 'notices' | 'unread';

interface ReaderSession {
  pid: number;
  /** Ids are used again. */
  started: string;
  account: string;
  isTooOld: boolean;
  blocks: boolean;
  place: number;
  /** Has sent notices, by its last statement or by the transaction number that only those who write have. */
  sends: boolean;
  /** May keep notices from being removed: it has a transaction, or doesn't read its socket. */
  holds: boolean;
  isUnread: boolean;
  isIdle: boolean;
  /** Takes a twentieth or more of what its account takes, and that is too much. */
  takesMemory: boolean;
}

export interface ReaderWatchInput {
  /** A pool of its own: the others may all wait for what a reader holds. */
  db: Database;
  log: Pick<Logger, 'warn'>;
  onEnded?: (reason: Reason) => void;
  /** Replaced in tests. */
  limits?: Partial<typeof LIMITS>;
}

/**
 * Makes the round of a duty that ends sessions of readers beyond the limits. It sees and ends those of a login whose role the
 * service's user is a member of, or all as a superuser. It also empties the queue of notices of what all have read: a full one
 * stays full until somebody asks for its usage.
 * @returns a function that gives the sessions that it ended
 */
export function createReaderWatch({ db, log, onEnded, limits = {} }: ReaderWatchInput) {
  const most = { ...LIMITS, ...limits };
  let roundsAbove = 0;
  let unreadSince = new Map<string, number>();
  let canReadMemory: boolean | undefined;

  const reasonFor = (
    session: ReaderSession,
    senders: ReadonlySet<string>,
    now: number,
  ): Reason | undefined => {
    const since = unreadSince.get(`${session.pid} ${session.started}`) ?? now;
    if (session.isTooOld) return 'transaction';
    if (session.blocks) return 'lock';
    if (session.place > most.sessions) return 'sessions';
    if (session.takesMemory) return 'memory';
    // First those who fill the queue, then those who may keep it full, then everybody.
    if (
      roundsAbove > 2 ||
      (roundsAbove > 0 && senders.has(session.account)) ||
      (roundsAbove > 1 && session.holds)
    )
      return 'notices';
    if (session.isUnread && now - since >= (session.isIdle ? most.unreadNoticesMs : most.unreadRowsMs))
      return 'unread';
    return undefined;
  };

  return async (): Promise<{ pid: number; account: string; reason: Reason }[]> => {
    const { share, sessions } = await look(db, most, (canReadMemory ??= await mayReadFiles(db)));
    roundsAbove = share > most.queueShare ? roundsAbove + 1 : 0;
    const now = performance.now();
    unreadSince = new Map(
      sessions
        .filter(({ isUnread }) => isUnread)
        .map(({ pid, started }) => [`${pid} ${started}`, unreadSince.get(`${pid} ${started}`) ?? now]),
    );
    const senders = new Set(sessions.filter(({ sends }) => sends).map(({ account }) => account));
    const ended = sessions.flatMap((session) => {
      const reason = reasonFor(session, senders, now);
      return reason === undefined ? [] : [{ pid: session.pid, account: session.account, reason }];
    });
    if (ended.length > 0)
      await endSessions(
        db,
        ended.map(({ pid }) => pid),
      );
    for (const one of ended) {
      log.warn(one, 'the session of a read-only login was ended');
      onEnded?.(one.reason);
    }
    return ended;
  };
}

/** Whether the service's user may read files of the server, as a superuser may: Linux shows the memory of processes in some. */
async function mayReadFiles({ sql }: Database): Promise<boolean> {
  const [row] = await sql<{ may: boolean }[]>`
    SELECT has_function_privilege('pg_read_file(text, bigint, bigint, boolean)', 'EXECUTE') AS may`;
  return row?.may === true;
}

async function look({ sql }: Database, most: typeof LIMITS, canReadMemory: boolean) {
  const [usage] = await sql<{ share: number }[]>`SELECT pg_notification_queue_usage() AS share`;
  const memory = sql`coalesce(substring(
    pg_read_file('/proc/' || a.pid || '/status', 0, 4096, true) FROM 'RssAnon:\\s+([0-9]+)')::bigint, 0)`;
  const sessions = await sql<ReaderSession[]>`
    WITH readers AS MATERIALIZED (
      SELECT a.*, d.account_id, ${canReadMemory ? memory : sql`0`} AS kilobytes
      FROM pg_stat_activity a JOIN gleaner.databases d ON d.reader = a.usename
      WHERE a.backend_start IS NOT NULL
    ), blockers AS MATERIALIZED (
      SELECT DISTINCT unnest(pg_blocking_pids(l.pid)) AS pid FROM pg_locks l
      WHERE NOT l.granted AND l.waitstart < clock_timestamp() - ${most.blockMs}::float8 * interval '1 ms'
        AND EXISTS (SELECT FROM readers) AND l.pid NOT IN (SELECT pid FROM readers)
    )
    SELECT pid, backend_start::text AS started, account_id AS account,
      coalesce(xact_start < clock_timestamp() - ${most.transactionMs}::float8 * interval '1 ms', false) AS "isTooOld",
      pid IN (SELECT pid FROM blockers) AS blocks,
      row_number() OVER (of_account ORDER BY backend_start)::int AS place,
      backend_xid IS NOT NULL OR query ILIKE '%notify%' AS sends,
      wait_event IS NOT DISTINCT FROM 'ClientWrite' AS "isUnread",
      xact_start IS NOT NULL OR wait_event IS NOT DISTINCT FROM 'ClientWrite' AS holds,
      state IS NOT DISTINCT FROM 'idle' AS "isIdle",
      sum(kilobytes) OVER of_account * 1024 > ${most.memoryBytes} AND kilobytes * 20 >= sum(kilobytes) OVER of_account
        AS "takesMemory"
    FROM readers WINDOW of_account AS (PARTITION BY account_id)`;
  return { share: usage?.share ?? 0, sessions };
}

/** Asks again whose the sessions are, because an id may be another's by now. */
async function endSessions({ sql }: Database, pids: readonly number[]): Promise<void> {
  await sql`
    SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN gleaner.databases d ON d.reader = a.usename
    WHERE a.pid = ANY(${pids}::int[])`.catch((error: unknown) => {
    if (errorCodeOf(error) !== PG_ERRORS.insufficientPrivilege) throw error;
  });
}
