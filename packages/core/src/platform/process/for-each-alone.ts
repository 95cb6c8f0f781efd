import { createTurns } from '@gleaner/contracts';

/** The most items that one process handles at the same time, unless the caller wants fewer. */
const PARALLEL = 3;

/**
 * Does the work for each item in order, a few at a time. Items may belong to different accounts, so the error of one
 * stops no other.
 * @throws AggregateError with the errors of all items
 */
export async function forEachAlone<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  parallel = PARALLEL,
): Promise<void> {
  const takeTurn = createTurns(parallel);
  const ended = await Promise.allSettled(items.map((item) => takeTurn(() => work(item))));
  const errors = ended.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} of ${items.length} failed: ${String(errors[0])}`);
}
