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

const CONNECTION_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|CONNECTION_CLOSED|CONNECTION_ENDED|CONNECTION_DESTROYED|CONNECT_TIMEOUT|57P0[123])$/;

/**
 * Whether the server is away. postgres.js 3.4.9 lets two such errors escape: those of its internal query for array types,
 * and of a write to a socket that closed in the same event loop turn. The client is replaced then (`withFreshClients`).
 */
export function isLostConnection(error: unknown): boolean {
  if (CONNECTION_CODES.test(sqlState(error) ?? '')) return true;
  return error instanceof TypeError && /postgres\/src\/connection\.js/.test(error.stack ?? '');
}
