import { withTimeout } from '@gleaner/contracts';
import { ENGINE, type Database, type Sql } from '@gleaner/db';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log/log.ts';

/** How often each process asks for the lock. */
const BEAT_MS = 500;
/** Postgres takes the lock from a process that is silent for this long; the process then knows that it no longer leads. */
const SILENT_MS = 1_500;
/** A connection that does not answer within this time is replaced. */
const ANSWER_WITHIN_MS = 5_000;
/** A connection that hangs delays the end of the process by no more. */
const STOP_WITHIN_MS = 1_000;

/**
 * Chooses the leader, which does the work of which one is enough: the process that holds an advisory lock of a session without a pooler. Postgres ends a session that is silent,
 * so another process leads within two seconds of the moment when the leader dies, freezes or loses its connection, and
 * nothing is written. A frozen leader that wakes ends the round that it was in, beside the new leader, and starts no
 * other: duties must allow that.
 */
export function startLeading(db: Database, log: Logger) {
  const stopping = new AbortController();
  /** End of the belief in the lock, on this process' monotonic clock, which runs while the process is frozen. */
  let leadsUntil = 0;
  let isLeading = false;
  let changed = Promise.withResolvers<void>();

  const note = (leads: boolean, askedAt: number): void => {
    leadsUntil = leads ? askedAt + SILENT_MS : 0;
    if (leads !== isLeading)
      log.info({ leads }, leads ? 'leads the schedulers' : 'stopped leading the schedulers');
    isLeading = leads;
    if (!leads) return;
    changed.resolve();
    changed = Promise.withResolvers();
  };
  /** Takes the lock, or finds that this session has it already. After a reconnect the session is another. */
  const ask = async (session: Sql): Promise<void> => {
    const askedAt = performance.now();
    const asking = session<{ leads: boolean }[]>`
      SELECT set_config('idle_session_timeout', ${String(SILENT_MS)}, false),
        pg_try_advisory_lock(${session(ENGINE)}.duty_lock('leader')) AS leads`;
    const [row] = await withTimeout(asking, ANSWER_WITHIN_MS, () => {
      throw new Error('Postgres does not answer');
    });
    note(row?.leads === true, askedAt);
  };
  const pause = () => delay(BEAT_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  const askOften = async (session: Sql): Promise<void> => {
    while (!stopping.signal.aborted) {
      await ask(session);
      await pause();
    }
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await db.withSession(askOften).catch((error: unknown) => {
        log.warn({ err: error }, 'the leader of the schedulers could not be chosen; trying again');
      });
      note(false, 0);
      await pause();
    }
  };
  const running = run();

  return {
    /** Resolves with true when this process leads, at once if it does; with false when it stops. */
    leads: async (): Promise<boolean> => {
      while (!stopping.signal.aborted && performance.now() >= leadsUntil) await changed.promise;
      return !stopping.signal.aborted;
    },
    /** Gives the lead to another process. */
    stop: async (): Promise<void> => {
      stopping.abort();
      changed.resolve();
      await withTimeout(running, STOP_WITHIN_MS, () => undefined);
    },
  };
}
