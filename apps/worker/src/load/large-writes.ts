import { createKeyedTurns, createTurns } from '@gleaner/contracts';

/** UTF-16 units from which on a write is large: it takes several times its length while its statement is made and sent. */
export const LARGE_WRITE = 1024 * 1024;
/** Large writes of one process at a time. */
const MOST_AT_ONCE = 3;

/** Runs a write at once, or in its turn when it is large. */
export type LargeWrites = <T>(accountId: string, length: number, write: () => Promise<T>) => Promise<T>;

/** Bounds the memory of statements: an account has one large write at a time, a process few. */
export function createLargeWrites(): LargeWrites {
  const ofAccount = createKeyedTurns(1);
  const ofProcess = createTurns(MOST_AT_ONCE);
  return async (accountId, length, write) =>
    length < LARGE_WRITE ? write() : ofAccount(accountId, () => ofProcess(write));
}
