import type { StoredError } from '@gleaner/contracts';

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
export function encodeAnswer(id: string, ended: EndedRequest): string {
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
