import { AppError } from '@gleaner/contracts';
import { errorCodeOf, PG_ERRORS } from '@gleaner/db';
import { serverMessage } from '../external/server-message.ts';

/** The error class for limits, which retries can't pass: too many columns, a row wider than a page. */
export const LIMIT_EXCEEDED = '54';

export function unavailable(detail: string, cause: unknown): AppError {
  return new AppError('temporarily_unavailable', { detail, retryAfterSeconds: 5, cause });
}

/** What the fault of a sink's statement means for its tasks; other errors unchanged. */
export function explainFault(error: unknown): unknown {
  const code = errorCodeOf(error);
  const detail = serverMessage(error);
  if (code === PG_ERRORS.lockNotAvailable)
    return unavailable('another session holds a lock on the table', error);
  if (code === '42501')
    return new AppError('invalid_request', {
      field: 'sink.database',
      detail: `the database's user lacks a right: ${detail}`,
      cause: error,
    });
  if (code === '42P07')
    return new AppError('invalid_request', {
      field: 'sink.table',
      detail: `${detail}, but it is a view, a partition or another relation that sinks cannot write`,
      cause: error,
    });
  if (code.startsWith(LIMIT_EXCEEDED))
    return new AppError('invalid_request', {
      field: 'sink.table',
      detail: `the table exceeds a limit of Postgres: ${detail}`,
      hint: 'Write to a table with fewer columns.',
      cause: error,
    });
  if (code === '3F000') return new AppError('not_found', { field: 'sink.database', cause: error });
  return error;
}
