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
  const waiting = items.values();
  const errors: unknown[] = [];
  const runNext = async (): Promise<void> => {
    for (const item of waiting) await work(item).catch((error: unknown) => errors.push(error));
  };
  await Promise.all(Array.from({ length: parallel }, runNext));
  if (errors.length > 0) {
    throw new AggregateError(errors, `${errors.length} of ${items.length} failed: ${String(errors[0])}`);
  }
}
