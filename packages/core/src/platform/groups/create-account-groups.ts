import { createTurns } from '@gleaner/contracts';
import { createGroups, type Groups } from './create-groups.ts';

/** Another transaction holds the account's lock. */
export const BUSY = Symbol('busy');

/** How long a group of one account waits for the account's lock, which other processes hold for one commit. */
const SHORT_WAIT_MS = 50;
/** How long a lane waits for the lock. Only its own account is delayed. */
const LONG_WAIT_MS = 3_000;
const MAX_LANES = 6;

/** Like Groups, for items whose statement locks their accounts. */
export interface AccountGroups<I, O> {
  /** Rejects with AccountBusyError when the account stayed locked for seconds. */
  call(item: I): Promise<O>;
}

/** Other work held the account's lock for seconds. */
export class AccountBusyError extends Error {
  constructor() {
    super('the account is locked by other work');
    this.name = 'AccountBusyError';
  }
}

export interface AccountGroupOptions<I, O> {
  accountOf: (item: I) => string;
  sizeOf: (item: I) => number;
  /**
   * Runs a group. With `waitMs` null, items of locked accounts are skipped and return BUSY. Otherwise all items belong to
   * one account, and the group waits this long for its lock.
   */
  run: (items: readonly I[], waitMs: number | null) => Promise<(O | typeof BUSY)[]>;
  mayBeOneItem: (error: unknown) => boolean;
  /** How long an item may wait for company (see GroupOptions). */
  patienceMs?: ((item: I) => number) | undefined;
  /** How many lanes wait for a lock at the same time. Each holds a connection meanwhile. Default 6. */
  maxLanes?: number | undefined;
}

const MAX_GROUP = 256;
/** Postgres writes so much in about 20 ms, for which a group holds its accounts. */
const MAX_BYTES = 600_000;

/**
 * Groups of all accounts; at most two run at the same time. An account that is locked for longer than a commit gets a
 * separate lane, so that no other account waits for it. Its later items follow in order.
 */
export function createAccountGroups<I, O>(options: AccountGroupOptions<I, O>): AccountGroups<I, O> {
  const { accountOf, sizeOf, run, mayBeOneItem } = options;
  const bounds = { maxItems: MAX_GROUP, maxSize: MAX_BYTES, sizeOf, mayBeOneItem };
  const lanes = new Map<string, Groups<I, O | typeof BUSY>>();
  const takeTurn = createTurns(options.maxLanes ?? MAX_LANES);

  const shared = createGroups<I, O | typeof BUSY>({
    ...bounds,
    maxInFlight: 2,
    patienceMs: options.patienceMs,
    run: (items) => run(items, new Set(items.map(accountOf)).size === 1 ? SHORT_WAIT_MS : null),
  });

  const openLane = (): Groups<I, O | typeof BUSY> =>
    createGroups({ ...bounds, maxInFlight: 1, run: (items) => takeTurn(() => run(items, LONG_WAIT_MS)) });

  const callLane = async (item: I): Promise<O> => {
    const account = accountOf(item);
    const lane = lanes.get(account) ?? openLane();
    lanes.set(account, lane);
    try {
      const result = await lane.call(item);
      if (result === BUSY) throw new AccountBusyError();
      return result;
    } finally {
      if (lane.pending === 0 && lanes.get(account) === lane) lanes.delete(account);
    }
  };

  return {
    call: async (item) => {
      if (lanes.has(accountOf(item))) return callLane(item);
      const result = await shared.call(item);
      return result === BUSY ? callLane(item) : result;
    },
  };
}
