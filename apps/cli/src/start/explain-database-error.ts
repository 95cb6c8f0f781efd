import { errorCodeOf, isNotMigrated, OldServerError, PG_ERRORS } from '@gleaner/db';
import { Fault } from '../fault.ts';

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNRESET',
  'ETIMEDOUT',
  'CONNECTION_DESTROYED',
]);

/** Converts database errors that the user can correct to a Fault without the password. Returns others unchanged. */
export function explainDatabaseError(error: unknown, url: string): unknown {
  const { host, pathname } = new URL(url);
  const name = decodeURIComponent(pathname.slice(1));
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = errorCodeOf(cause);
    if (isNotMigrated(cause)) {
      return new Fault(`The database ${name} has no tables of Gleaner.`, 'Run: gleaner migrate');
    }
    if (cause instanceof OldServerError) {
      return new Fault(`${cause.message} (${host}).`, 'Upgrade the server.');
    }
    if (code === PG_ERRORS.invalidCatalogName) {
      return new Fault(
        `There is no database ${name} on ${host}.`,
        'Create it (createdb), or check the name at the end of DATABASE_URL.',
      );
    }
    if (code === PG_ERRORS.insufficientPrivilege) {
      return new Fault(
        `The user of DATABASE_URL may not do this in the database ${name} (${cause.message}).`,
        'Use the user who owns the database.',
      );
    }
    if (code === PG_ERRORS.invalidPassword || code === PG_ERRORS.invalidAuthorization) {
      return new Fault(
        `The server at ${host} does not let this user in (${cause.message}).`,
        'Check user and password in DATABASE_URL.',
      );
    }
    if (UNREACHABLE.has(code)) {
      return new Fault(
        `The database at ${host} can't be reached (${code}).`,
        'Check DATABASE_URL and that the server runs.',
      );
    }
  }
  return error;
}
