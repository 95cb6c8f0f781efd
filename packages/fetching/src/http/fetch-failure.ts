import { AppError } from '@gleaner/contracts';

const TIMEOUTS = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
]);

/** Messages for error codes of sockets and undici. They contain no addresses. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the target refused the connection',
  ECONNRESET: 'the target closed the connection',
  EPIPE: 'the target closed the connection',
  UND_ERR_SOCKET: 'the target closed the connection',
  UND_ERR_CLOSED: 'the connection was closed',
  UND_ERR_DESTROYED: 'the connection was closed',
  EHOSTUNREACH: 'the target is unreachable',
  ENETUNREACH: 'the target is unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'the target did not accept a connection in time',
  ETIMEDOUT: 'the target did not accept a connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'the target did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'the target stopped sending',
};

/** What is wrong with the target itself, so that a retry doesn't help. */
function lastingFault(code: string): string | undefined {
  if (/^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_CERT)/.test(code))
    return `the target's certificate is not valid (${code})`;
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return 'the TLS handshake failed';
  return code.startsWith('HPE_') ? `the target's answer is not HTTP (${code})` : undefined;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether the target's answer breaks the rules of HTTP. Undici gives this fault no code. */
export function isParserFault(error: unknown): boolean {
  const code = codeOf(error);
  const isNamed = code.startsWith('HPE_') || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
  return isNamed || (error instanceof Error && error.name === 'HTTPParserError');
}

/** Whether the target closed the connection before it answered, as happens with an idle connection. */
export function isHangUp(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error));
}

/** The failure with what ended the attempt, and the setting that gives it longer. @param seconds since it began */
export function withLimit(failure: AppError, seconds: number): AppError {
  const isOurs = failure.code === 'fetch_timed_out' && failure.constructor === AppError;
  if (!isOurs || failure.options.hint !== undefined) return failure;
  const hint = `The attempt ended after ${Math.round(seconds)} s: timeoutSeconds in scrape_config gives it longer, 120 at most.`;
  return new AppError('fetch_timed_out', { ...failure.options, hint });
}

/** The deadline of the request has passed. */
export function timedOut(): AppError {
  return new AppError('fetch_timed_out', { detail: 'the time limit passed before the page was complete' });
}

/**
 * Converts a client's error to an AppError: `fetch_timed_out` for silence, `fetch_failed` otherwise. The text never
 * includes the client's own message, because that names resolved addresses.
 */
export function toFetchFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (TIMEOUTS.has(code)) return new AppError('fetch_timed_out', { detail: NETWORK[code], cause: error });
  const lasting =
    lastingFault(code) ?? (isParserFault(error) ? "the target's answer is not HTTP" : undefined);
  if (lasting !== undefined)
    return new AppError('fetch_failed', { detail: lasting, retryable: false, cause: error });
  return new AppError('fetch_failed', { detail: NETWORK[code] ?? 'the connection failed', cause: error });
}
