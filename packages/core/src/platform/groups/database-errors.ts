/** The SQLSTATE of a Postgres error, however it is wrapped. */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return sqlState(error.cause);
}

/**
 * Whether a row of the statement may be the cause: wrong data (22), a broken rule (23), a limit (54), an error that our
 * own functions raise (P0). Not a lost connection or a server that stops.
 */
export function mayBeOneRow(error: unknown): boolean {
  return /^(?:22|23|54|P0)[0-9A-Z]{3}$/.test(sqlState(error) ?? '');
}

/** lock_not_available: `lock_timeout` passed. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}
