import type { AppError, StoredError } from '@gleaner/contracts';
import { AppError as Failure } from '@gleaner/contracts';
import { requestDelivery, type QueueName } from '@gleaner/queue';
import { ulid } from 'ulid';
import type { Services } from '../../platform/context.ts';
import { isServed } from '../../platform/workers/heartbeat.ts';
import { endRequest } from './request-lease.ts';

/** How often waiting requests are looked at, should a notification or a queue job have been lost. */
const CHECK_MS = 500;
/** A request that nobody has started by then is delivered again. */
const REDELIVER_AFTER_MS = 1_000;
/** Without a live worker for this long, waiting makes no sense. */
const NO_WORKER_AFTER_MS = 3_000;
/** Beyond a request's deadline: the worker ends it itself. */
const DEADLINE_GRACE_MS = 1_500;

interface Waiting {
  queue: QueueName;
  since: number;
  deadlineAt: number;
  wake: () => void;
}

/** What a request came to. `balance` is the account's after it. */
export type EndedRequest =
  | { state: 'succeeded'; answer: string; balance: number }
  | { state: 'failed' | 'cancelled'; error: StoredError };

/** One per API process: wakes those who wait for requests to end. */
export interface AnswerInbox {
  /** Written on requests, so that their end is told to this process. */
  instanceId: string;
  /** Resolves when the request ended, whoever ended it. Rejects when `signal` is aborted. */
  wait(
    id: string,
    input: { queue: QueueName; deadlineAt: number; signal: AbortSignal },
  ): Promise<EndedRequest>;
  close(): Promise<void>;
}

type InboxServices = Pick<Services, 'db' | 'queue' | 'log'>;

interface EndedRow {
  state: string;
  answer: string | null;
  error: StoredError | null;
  balance: string;
}

async function readEnded({ db }: InboxServices, id: string): Promise<EndedRequest | null> {
  const [row] = await db.sql<EndedRow[]>`
    SELECT r.state, r.answer, r.error, a.balance
    FROM gleaner.requests r JOIN gleaner.accounts a ON a.id = r.account_id WHERE r.id = ${id}`;
  if (!row) return { state: 'failed', error: { code: 'internal' } };
  if (row.state === 'succeeded') {
    return { state: 'succeeded', answer: row.answer ?? 'null', balance: Number(row.balance) };
  }
  if (row.state === 'failed' || row.state === 'cancelled') {
    return { state: row.state, error: row.error ?? { code: 'internal' } };
  }
  return null;
}

/** Looks at requests that have waited a while: ended ones, lost deliveries, dead workers, passed deadlines. */
async function checkWaiting(services: InboxServices, waiting: Map<string, Waiting>): Promise<void> {
  const now = Date.now();
  const old = [...waiting].filter(([, entry]) => now - entry.since > CHECK_MS);
  if (old.length === 0) return;
  const rows = await services.db.sql<{ id: string; state: string; attempt: number }[]>`
    SELECT id, state, attempt FROM gleaner.requests WHERE id = ANY(${old.map(([id]) => id)})`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const served = new Map<QueueName, boolean>();
  for (const [id, entry] of old) {
    const row = byId.get(id);
    if (!row || !['waiting', 'queued', 'running'].includes(row.state)) {
      entry.wake();
      continue;
    }
    const waitedMs = now - entry.since;
    if (now > entry.deadlineAt + DEADLINE_GRACE_MS) {
      await endRequest(services, id, null, { state: 'failed', error: { code: 'fetch_timed_out' } });
      entry.wake();
    } else if (row.state !== 'running' && waitedMs > NO_WORKER_AFTER_MS) {
      const engine = entry.queue.endsWith('browser') ? 'browser' : 'http';
      if (!served.has(entry.queue)) served.set(entry.queue, await isServed(services.db, engine));
      if (served.get(entry.queue) === false) {
        await endRequest(services, id, null, { state: 'failed', error: noWorker(engine) });
        entry.wake();
      }
    }
    if (row.state === 'queued' && waitedMs > REDELIVER_AFTER_MS) {
      await services.queue.deliver([
        requestDelivery(entry.queue, id, row.attempt, countDeliveries(waitedMs)),
      ]);
    }
  }
}

/**
 * The number of a repeated delivery: 1 for the first 4 s, which repeats a job that was lost, then one more whenever the
 * wait has doubled, in case a worker died with the job before it started the request.
 */
function countDeliveries(waitedMs: number): number {
  return Math.max(1, Math.floor(Math.log2(waitedMs / REDELIVER_AFTER_MS)));
}

function noWorker(engine: string): StoredError {
  return {
    code: 'temporarily_unavailable',
    detail: `no worker that serves ${engine} is alive`,
    hint: 'Start a worker, or try again in a moment.',
    retryAfterSeconds: 5,
  };
}

/** Starts listening; `close` ends it. */
export async function openAnswerInbox(services: InboxServices): Promise<AnswerInbox> {
  const instanceId = ulid().toLowerCase();
  const waiting = new Map<string, Waiting>();
  const subscription = await services.db.listen(`gleaner_answers_${instanceId}`, (id) =>
    waiting.get(id)?.wake(),
  );
  let isChecking = false;
  const timer = setInterval(() => {
    if (isChecking || waiting.size === 0) return;
    isChecking = true;
    checkWaiting(services, waiting)
      .catch((error: unknown) => services.log.warn({ err: error }, 'waiting requests could not be checked'))
      .finally(() => {
        isChecking = false;
      });
  }, CHECK_MS);

  const wait: AnswerInbox['wait'] = async (id, { queue, deadlineAt, signal }) => {
    for (;;) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const onAbort = (): void => reject(gone(signal.reason));
      const known = waiting.get(id);
      waiting.set(id, { queue, deadlineAt, since: known?.since ?? Date.now(), wake: resolve });
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        await promise;
        const ended = await readEnded(services, id).catch((error: unknown) => {
          // It may have succeeded, and be paid for: its answer is worth waiting until Postgres is back.
          if (Date.now() > deadlineAt) throw error;
          services.log.warn({ err: error }, 'an answer could not be read; trying again');
          return null;
        });
        if (ended) return ended;
      } finally {
        signal.removeEventListener('abort', onAbort);
        waiting.delete(id);
      }
    }
  };

  return {
    instanceId,
    wait,
    close: async () => {
      clearInterval(timer);
      await subscription.unlisten();
    },
  };
}

function gone(cause: unknown): AppError {
  return new Failure('temporarily_unavailable', { detail: 'the client went away', cause });
}
