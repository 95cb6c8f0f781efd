const CLOSED = new Set(['EPIPE', 'ECONNRESET']);

/** Why Redis does not do its work, in words. ioredis's own messages name a broken stream, not its cause. */
export function redisReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/isn't writeable|connection is closed/i.test(message)) return 'Redis is not connected';
  if (CLOSED.has(code)) {
    return `Redis closes the connections of this process (${code}): its log says why, for example its protected mode or its limit of clients`;
  }
  // The first word of an error reply names its kind: NOAUTH, WRONGPASS, DENIED, OOM, LOADING, READONLY, MISCONF.
  if (/^[A-Z]{2,} /.test(message)) return `Redis refuses commands: ${message}`;
  return message === '' ? `Redis does not answer (${code})` : message;
}
