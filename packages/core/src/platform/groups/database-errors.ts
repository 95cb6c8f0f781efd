/** The SQLSTATE of a Postgres error, also inside other errors. */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return sqlState(error.cause);
}

/**
 * Whether a row of the statement may be the cause: invalid data (22), a violated constraint (23), a limit (54), or an
 * error that our functions raise (P0). False for a lost connection or a server that stops.
 */
export function mayBeOneRow(error: unknown): boolean {
  return /^(?:22|23|54|P0)[0-9A-Z]{3}$/.test(sqlState(error) ?? '');
}

/** lock_not_available: `lock_timeout` expired. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}
