/** The server of the queues does not answer, or takes no work now. Its `code` says so to who sees the error. */
class QueueAwayError extends Error {
  readonly code = 'QUEUE_AWAY';
  constructor(cause: unknown) {
    super('the queue is unavailable', { cause });
    this.name = 'QueueAwayError';
  }
}

/**
 * Replies with which Redis refuses work that it would take at another time: it is full, a replica, loading or busy, or can't
 * write to its disk. Lua scripts have the word inside their message.
 */
const REFUSED = /\b(OOM|READONLY|MISCONF|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS) /;
/** What ioredis and pg say of a connection that is closed or silent. */
const SILENT =
  /^(Command timed out|Socket timeout|Connection is closed|Stream isn't writeable|Reached the max retries|Query read timeout|timeout exceeded when trying to connect|Connection terminated)/;

function isAway(error: unknown): boolean {
  return error instanceof Error && (REFUSED.test(error.message) || SILENT.test(error.message));
}

/** @throws QueueAwayError in place of what a server that is away makes its driver throw */
export async function orAway<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isAway(error) ? new QueueAwayError(error) : error;
  }
}
