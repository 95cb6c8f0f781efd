import { createKeyedTurns, createTurns } from '@gleaner/contracts';

/** Transactions at the same time, of all databases of this process and of one account. */
const LANES = 16;
export const LANES_OF_ACCOUNT = 4;
/** The same for accounts with a slow server; of each of their databases one. */
const SLOW_LANES = 8;
const SLOW_LANES_OF_ACCOUNT = 2;
/** How long an account counts as slow. */
const SLOW_FOR_MS = 300_000;

interface Owner {
  accountId: string;
  databaseId: string;
}

export type Lanes = <T>(owner: Owner, work: () => Promise<T>) => Promise<T>;

/**
 * Shares the transactions of this process among accounts. An account one of whose servers was slow has lanes apart for a while,
 * so that servers which don't answer keep only each other waiting.
 * @param slowMs a transaction that takes this long is slow
 */
export function createLanes({ slowMs }: { slowMs: number }): Lanes {
  const slowUntil = new Map<string, number>();
  const ofAccount = createKeyedTurns(LANES_OF_ACCOUNT);
  const ofAll = createTurns(LANES);
  const ofSlowDatabase = createKeyedTurns(1);
  const ofSlowAccount = createKeyedTurns(SLOW_LANES_OF_ACCOUNT);
  const ofAllSlow = createTurns(SLOW_LANES);

  const isSlow = (accountId: string): boolean => {
    const until = slowUntil.get(accountId);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    slowUntil.delete(accountId);
    return false;
  };
  const timed = async <T>(accountId: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    try {
      return await work();
    } finally {
      const now = performance.now();
      if (now - from >= slowMs) slowUntil.set(accountId, now + SLOW_FOR_MS);
    }
  };
  const inSlowLane: Lanes = ({ accountId, databaseId }, work) =>
    ofSlowDatabase(databaseId, () => ofSlowAccount(accountId, () => ofAllSlow(() => timed(accountId, work))));

  return async (owner, work) => {
    const { accountId } = owner;
    // Another transaction can turn out to be slow while this one waits for its turn, so it looks again.
    const answer = await ofAccount(accountId, () =>
      ofAll(async () => (isSlow(accountId) ? undefined : { value: await timed(accountId, work) })),
    );
    return answer === undefined ? inSlowLane(owner, work) : answer.value;
  };
}
