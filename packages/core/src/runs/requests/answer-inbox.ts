import { AppError, type StoredError } from '@gleaner/contracts';
import { interactiveQueue, repeatedDelivery, type Delivery, type QueueName } from '@gleaner/queue';
import { ulid } from 'ulid';
import type { Services } from '../../platform/context.ts';
import type { AccountGroups } from '../../platform/groups/create-account-groups.ts';
import { createGroups } from '../../platform/groups/create-groups.ts';
import { isServed } from '../../platform/workers/heartbeat.ts';
import {
  answerChannel,
  decodeAnswer,
  type EndedRequest,
  endPatiently,
  type EndingRequest,
} from './end-requests.ts';
import { explainNoPage } from './queue-place.ts';

const BROWSER = interactiveQueue('browser');

/** How often waiting requests are checked, in case a message or a queue job was lost. */
const CHECK_MS = 500;
/** A request that no worker has started by then is delivered again. */
const REDELIVER_AFTER_MS = 1_000;
/** A request that waited for this long ends when no worker is alive, or the queue is away. */
const NO_WORKER_AFTER_MS = 3_000;
/** Latest start of a browser request; later ones could not finish in time. */
const PAGE_PATIENCE_MS = 60_000;
/** Extra time after a request's deadline, at which the worker ends the request. */
const DEADLINE_GRACE_MS = 1_500;

export interface AwaitedRequest {
  /** `none` for a slot. */
  queue: QueueName | 'none';
  accountId: string;
  /** Rank of the request among the account's outstanding ones. */
  rank: number;
  deadlineAt: number;
  signal: AbortSignal;
}

/** A slot that an account waited for. */
const ADMITTED = { state: 'admitted' } as const;

interface Waiting extends AwaitedRequest {
  since: number;
  /** Without an argument: read the table. */
  wake: (ended?: EndedRequest) => void;
  /** This process is ending it. */
  isEnding?: boolean;
}

/** Wakes the callers that wait for requests; one per API process. */
export interface AnswerInbox {
  /** Identifies this process in requests, so that it is notified of their ends. */
  instanceId: string;
  /** Resolves when the request has ended, or when a waiting slot was admitted. Rejects when `signal` is aborted. */
  wait(id: string, request: AwaitedRequest): Promise<EndedRequest | typeof ADMITTED>;
  close(): Promise<void>;
}

export interface InboxOptions {
  /** How long a request waits for a page of a browser. Default 60 s. */
  pagePatienceMs?: number;
  /** This process in `gleaner.processes`: if it dies, its requests end soon. Default: a new id that is not there. */
  instanceId?: string;
}

type InboxServices = Pick<Services, 'db' | 'queue' | 'log'>;

interface RequestRow {
  id: string;
  state: string;
  answer: string | null;
  error: StoredError | null;
  balance: string;
  price: number;
}

async function readRows({ db }: InboxServices, ids: readonly string[]): Promise<(RequestRow | null)[]> {
  const rows = await db.sql<RequestRow[]>`
    SELECT r.id, r.state, r.answer, r.error, r.price, a.balance
    FROM gleaner.requests r JOIN gleaner.accounts a ON a.id = r.account_id WHERE r.id = ANY(${ids}::text[])`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

const LOST: StoredError = {
  code: 'temporarily_unavailable',
  detail: 'the database restarted and lost the request',
  hint: 'Send it again; nothing was charged.',
  retryAfterSeconds: 1,
};

/** How a request ends that the queue does not take. */
export const QUEUE_AWAY = {
  code: 'temporarily_unavailable',
  detail: 'the queue is unavailable',
  retryAfterSeconds: 5,
} as const satisfies StoredError;

/** Null while the request is unfinished, or its slot waits. */
function judge(row: RequestRow | null, isSlot: boolean): EndedRequest | typeof ADMITTED | null {
  // A crash of Postgres lost it: nothing was charged.
  if (!row) return { state: 'failed', error: LOST };
  if (row.state === 'running' && isSlot) return ADMITTED;
  if (row.state === 'succeeded') {
    return {
      state: 'succeeded',
      answer: row.answer ?? 'null',
      balance: Number(row.balance),
      price: row.price,
    };
  }
  if (row.state === 'failed' || row.state === 'cancelled') {
    return { state: row.state, error: row.error ?? { code: 'internal' } };
  }
  return null;
}

/** Checks requests that have waited for a while: ended ones, lost deliveries, dead workers, passed deadlines. */
async function checkWaiting(
  services: InboxServices,
  ender: AccountGroups<EndingRequest, boolean>,
  waiting: Map<string, Waiting>,
  pagePatienceMs: number,
): Promise<void> {
  const now = Date.now();
  const old = [...waiting].filter(([, entry]) => now - entry.since > CHECK_MS);
  if (old.length === 0) return;
  const rows = await services.db.sql<{ id: string; state: string; attempt: number; queue: QueueName }[]>`
    SELECT id, state, attempt, queue FROM gleaner.requests WHERE id = ANY(${old.map(([id]) => id)}::text[])`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const served = new Map<QueueName, boolean | undefined>();
  // A locked account doesn't delay other accounts.
  const fail = (id: string, entry: Waiting, error: StoredError): void => {
    if (entry.isEnding === true) return;
    entry.isEnding = true;
    endPatiently(ender, { id, accountId: entry.accountId, attempt: null, end: { state: 'failed', error } })
      .then(() => entry.wake())
      .catch((cause: unknown) => services.log.warn({ err: cause }, 'could not end a request'))
      .finally(() => {
        entry.isEnding = false;
      });
  };
  const withoutPage: string[] = [];
  const lost: { id: string; entry: Waiting; delivery: Delivery }[] = [];
  for (const [id, entry] of old) {
    const { accountId, rank } = entry;
    const row = byId.get(id);
    if (!row || !['waiting', 'queued', 'running'].includes(row.state)) {
      entry.wake();
      continue;
    }
    // It may have climbed.
    const queue = entry.queue === 'none' ? entry.queue : row.queue;
    const waitedMs = now - entry.since;
    if (now > entry.deadlineAt + DEADLINE_GRACE_MS) {
      fail(id, entry, {
        code: 'fetch_timed_out',
        detail: 'the page was not complete after 120 s, the limit of a scrape',
        hint: 'A job (POST /v1/jobs) waits longer in the queue.',
      });
    } else if (queue === 'none') {
      if (row.state === 'running') entry.wake();
    } else if (row.state !== 'running' && waitedMs > NO_WORKER_AFTER_MS) {
      const engine = queue.endsWith('browser') ? 'browser' : 'http';
      if (!served.has(queue)) served.set(queue, await isServed(services.db, engine));
      const isTaken = served.get(queue);
      if (isTaken !== true) fail(id, entry, noWorker(engine, isTaken === false));
      else if (queue === BROWSER && row.state === 'queued' && waitedMs > pagePatienceMs) withoutPage.push(id);
    }
    if (queue !== 'none' && row.state === 'queued' && waitedMs > REDELIVER_AFTER_MS) {
      const { attempt } = row;
      const times = countDeliveries(waitedMs);
      const delivery = repeatedDelivery(queue, { id, attempt, account: accountId, rank }, times);
      lost.push({ id, entry, delivery });
    }
  }
  // The queue may be away, which must not delay the answers that are ready.
  if (lost.length > 0) {
    services.queue.deliver(lost.map(({ delivery }) => delivery)).catch((cause: unknown) => {
      services.log.warn({ err: cause }, 'requests did not reach the queue again');
      // A full Redis may have their jobs, and give them to no worker.
      for (const { id, entry } of lost) {
        if (now - entry.since > NO_WORKER_AFTER_MS) fail(id, entry, QUEUE_AWAY);
      }
    });
  }
  if (withoutPage.length === 0) return;
  for (const [id, error] of await explainNoPage(services, BROWSER, withoutPage, pagePatienceMs)) {
    const entry = waiting.get(id);
    if (entry !== undefined) fail(id, entry, error);
  }
}

/**
 * The number of a repeated delivery: 1 for the first 4 s, which repeats a job that was lost, then one more whenever the
 * wait has doubled, in case a worker died with the job before it started the request.
 */
function countDeliveries(waitedMs: number): number {
  return Math.max(1, Math.floor(Math.log2(waitedMs / REDELIVER_AFTER_MS)));
}

function noWorker(engine: string, isAlive: boolean): StoredError {
  return {
    code: 'temporarily_unavailable',
    detail: isAlive
      ? `every worker that serves ${engine} is short of memory`
      : `no worker that serves ${engine} is alive`,
    hint: 'Start a worker, or try again in a moment.',
    retryAfterSeconds: 5,
  };
}

/** Starts listening; `close` ends it. */
export async function openAnswerInbox(
  services: InboxServices,
  ender: AccountGroups<EndingRequest, boolean>,
  { pagePatienceMs = PAGE_PATIENCE_MS, instanceId = ulid().toLowerCase() }: InboxOptions = {},
): Promise<AnswerInbox> {
  const { log, queue } = services;
  const waiting = new Map<string, Waiting>();
  const onMessage = (message: string): void => {
    const { id, ended } = queue.signals.areTrusted ? decodeAnswer(message) : { id: message };
    waiting.get(id)?.wake(ended);
  };
  const subscription = await queue.signals.listen(answerChannel(instanceId), onMessage);
  // Answers without content in their message are read together.
  const reads = createGroups<string, { row: RequestRow | null }>({
    maxInFlight: 2,
    maxItems: 64,
    run: async (ids) => (await readRows(services, ids)).map((row) => ({ row })),
  });
  let isChecking = false;
  const timer = setInterval(() => {
    if (isChecking || waiting.size === 0) return;
    isChecking = true;
    checkWaiting(services, ender, waiting, pagePatienceMs)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'waiting requests could not be checked');
        // Postgres is away, and they need not wait for it any longer.
        for (const { deadlineAt, wake } of waiting.values()) {
          if (Date.now() > deadlineAt + DEADLINE_GRACE_MS) wake();
        }
      })
      .finally(() => {
        isChecking = false;
      });
  }, CHECK_MS);

  /** Waits until a message reports the end, or the table has the expected state. */
  const wait: AnswerInbox['wait'] = async (id, request) => {
    const { signal, deadlineAt, queue: name } = request;
    const since = Date.now();
    for (;;) {
      if (signal.aborted) throw gone(signal.reason);
      const { promise, resolve, reject } = Promise.withResolvers<EndedRequest | undefined>();
      const onAbort = (): void => reject(gone(signal.reason));
      waiting.set(id, { ...request, since, wake: resolve });
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        const ended = await promise;
        const found = ended ?? judge((await reads.call(id)).row, name === 'none');
        if (found !== null) return found;
      } catch (error) {
        // The request may have succeeded and been charged, so the call waits for Postgres to return its answer.
        if (signal.aborted || Date.now() > deadlineAt) throw error;
        log.warn({ err: error }, 'an answer could not be read; trying again');
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
      await subscription.close();
    },
  };
}

function gone(cause: unknown): AppError {
  return new AppError('temporarily_unavailable', { detail: 'the client disconnected', cause });
}
