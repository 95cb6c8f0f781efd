import { toStorableJson, type StoredError } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import {
  AccountBusyError,
  BUSY,
  createAccountGroups,
  type AccountGroups,
} from '../../platform/groups/create-account-groups.ts';
import { isLockTimeout, mayBeOneRow } from '../../platform/groups/database-errors.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';

/** Longer answers are read from Postgres, so that messages don't fill the buffers of Redis. */
const MAX_CHARACTERS = 64_000;

/** The result of a request. `balance` is the account's balance afterwards; `price` what it cost, absent: what was reserved. */
export type EndedRequest =
  | { state: 'succeeded'; answer: string; balance: number; price?: number | undefined }
  | { state: 'failed' | 'cancelled'; error: StoredError };

/** The channel of an API process's inbox. */
export function answerChannel(waiter: string): string {
  return `gleaner_answers_${waiter}`;
}

/** The id, and the result if it fits; otherwise the receiver reads the table. */
function encodeAnswer(id: string, ended: EndedRequest): string {
  const line =
    ended.state === 'succeeded'
      ? `${id} ${ended.balance}${ended.price === undefined ? '' : `/${ended.price}`} ${ended.answer}`
      : `${id} ${ended.state} ${JSON.stringify(ended.error)}`;
  return line.length > MAX_CHARACTERS ? id : line;
}

// encodeAnswer wrote it, and only our own processes can send messages with content.
function asStoredError(value: unknown): StoredError {
  return value as StoredError;
}

/** Reads what encodeAnswer wrote; `ended` is missing when the table must be read. */
export function decodeAnswer(line: string): { id: string; ended?: EndedRequest } {
  const first = line.indexOf(' ');
  const second = line.indexOf(' ', first + 1);
  if (first === -1 || second === -1) return { id: line };
  const id = line.slice(0, first);
  const kind = line.slice(first + 1, second);
  const rest = line.slice(second + 1);
  if (kind === 'failed' || kind === 'cancelled') {
    return { id, ended: { state: kind, error: asStoredError(JSON.parse(rest)) } };
  }
  const [balance, price] = kind.split('/').map(Number);
  return { id, ended: { state: 'succeeded', answer: rest, balance: balance ?? 0, price } };
}

export type RequestEnd =
  /** `price`: credits that it costs; absent: all that is reserved for it. */
  | { state: 'succeeded'; answer: string; price?: number | undefined }
  | { state: 'failed' | 'cancelled'; error: StoredError };

export interface EndingRequest {
  id: string;
  accountId: string;
  /** Null ends any attempt. */
  attempt: number | null;
  end: RequestEnd;
}

type EndServices = Pick<Services, 'db' | 'queue' | 'log'>;

type Row = AdmittedRow & {
  place: number | null;
  outcome: 'done' | 'busy' | null;
  waiter: string | null;
  balance: string;
};

/** Sends the answers of a group to the waiting processes, one message per process. */
function sendAnswers(
  { queue: { signals } }: EndServices,
  endings: readonly EndingRequest[],
  rows: readonly Row[],
): void {
  for (const { place, outcome, waiter, balance } of rows) {
    const ending = place === null ? undefined : endings[place - 1];
    if (!ending || outcome !== 'done' || waiter === null) continue;
    const { id, end } = ending;
    if (end.state === 'cancelled') continue;
    const ended = end.state === 'succeeded' ? { ...end, balance: Number(balance) } : end;
    signals.send(answerChannel(waiter), signals.areTrusted ? encodeAnswer(id, ended) : id);
  }
}

/**
 * Ends requests in one transaction: states, settlement or release, and admission of the accounts' next work. Sends the
 * results after the commit.
 * @param waitMs see AccountGroupOptions
 * @returns for each request, whether this call ended it: false when it had already ended or has another attempt
 */
async function endGroup(
  services: EndServices,
  endings: readonly EndingRequest[],
  waitMs: number | null,
): Promise<(boolean | typeof BUSY)[]> {
  const ends = endings.map(({ end }) => end);
  const prices = ends.map((end) => (end.state === 'succeeded' ? end.price : undefined));
  let rows: Row[];
  try {
    rows = await services.db.sql<Row[]>`
      SELECT place, outcome, waiter, balance, (delivery).* FROM ${services.db.sql(ENGINE)}.end_requests(
        p_ids => ${endings.map(({ id }) => id)}::text[],
        p_attempts => ${`{${endings.map(({ attempt }) => attempt ?? 'NULL').join(',')}}`}::text::int[],
        p_states => ${ends.map(({ state }) => state)}::text[],
        p_answers => ${ends.map((end) => (end.state === 'succeeded' ? end.answer : '')).join('\n')},
        p_errors => ${ends.map((end) => (end.state === 'succeeded' ? '' : toStorableJson(end.error))).join('\n')},
        p_lock_ms => ${waitMs},
        p_prices => ${prices.every((price) => price === undefined) ? null : `{${prices.map((price) => price ?? 'NULL').join(',')}}`}::text::int[])`;
  } catch (error) {
    if (isLockTimeout(error)) return endings.map(() => BUSY);
    throw error;
  }
  sendAnswers(services, endings, rows);
  // The answers do not wait for the account's next work.
  void deliverAdmitted(services.queue, services.log, rows);
  const results: (boolean | typeof BUSY)[] = endings.map(() => false);
  for (const { place, outcome } of rows) {
    if (place !== null) results[place - 1] = outcome === 'busy' ? BUSY : true;
  }
  return results;
}

/** Ends requests in groups. Resolves as `endGroup` says. @param options.maxLanes see AccountGroupOptions */
export function createEnder(
  services: EndServices,
  { maxLanes }: { maxLanes?: number } = {},
): AccountGroups<EndingRequest, boolean> {
  return createAccountGroups<EndingRequest, boolean>({
    maxLanes,
    accountOf: ({ accountId }) => accountId,
    sizeOf: ({ end }) => (end.state === 'succeeded' ? end.answer.length : 1_000),
    mayBeOneItem: mayBeOneRow,
    run: (endings, waitMs) => endGroup(services, endings, waitMs),
  });
}

/** The end of a request whose result Postgres refuses. */
const UNSTORABLE_END: RequestEnd = {
  state: 'failed',
  error: { code: 'internal', detail: 'the result could not be stored' },
};

/** How often an end is tried while other work holds the account; each try waits for seconds. */
const MAX_TRIES = 20;

/**
 * Ends a request. Retries while other work locks the account, so that the fetched result is not lost.
 * @returns false when the request had already ended or has another attempt
 */
export async function endPatiently(
  ender: AccountGroups<EndingRequest, boolean>,
  ending: EndingRequest,
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ender.call(ending);
    } catch (error) {
      if (mayBeOneRow(error) && ending.end !== UNSTORABLE_END)
        return endPatiently(ender, { ...ending, end: UNSTORABLE_END });
      if (!(error instanceof AccountBusyError) || tries === MAX_TRIES) throw error;
    }
  }
}

/** The result of a request after its client disconnected. The worker that runs it is notified. */
export const CLIENT_LEFT: RequestEnd = {
  state: 'cancelled',
  error: { code: 'temporarily_unavailable', detail: 'the client disconnected' },
};
