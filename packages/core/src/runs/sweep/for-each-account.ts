/** The most accounts that one process handles at the same time, unless the caller wants fewer. */
const PARALLEL = 3;

/**
 * Does the work for each account in order, a few at a time. An error does not stop the others.
 * @throws AggregateError with the errors of all accounts
 */
export async function forEachAccount(
  accounts: readonly string[],
  work: (account: string) => Promise<void>,
  parallel = PARALLEL,
): Promise<void> {
  const waiting = accounts.values();
  const errors: unknown[] = [];
  const runNext = async (): Promise<void> => {
    for (const account of waiting) await work(account).catch((error: unknown) => errors.push(error));
  };
  await Promise.all(Array.from({ length: parallel }, runNext));
  if (errors.length > 0) {
    throw new AggregateError(errors, `${errors.length} accounts failed: ${String(errors[0])}`);
  }
}
