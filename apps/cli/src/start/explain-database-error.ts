import { Fault } from '@gleaner/embedded-postgres/fault';

/** https://www.postgresql.org/docs/18/errcodes-appendix.html: an absent schema, an absent table. */
const NOT_MIGRATED = new Set(['3F000', '42P01']);
const NO_DATABASE = '3D000';
const NO_PERMISSION = '42501';
/** Wrong password, unknown role. */
const NOT_LET_IN = new Set(['28P01', '28000']);
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNRESET',
  'ETIMEDOUT',
]);

/** What a person can mend about the database, as a Fault; anything else as it came. Never shows the URL's password. */
export function explainDatabaseError(error: unknown, url: string): unknown {
  const { host, pathname } = new URL(url);
  const name = decodeURIComponent(pathname.slice(1));
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    if (NOT_MIGRATED.has(code)) {
      return new Fault(`The database ${name} has no tables of Gleaner.`, 'Run: gleaner migrate');
    }
    if (code === NO_DATABASE) {
      return new Fault(
        `There is no database ${name} on ${host}.`,
        'Make it (createdb), or check the name at the end of DATABASE_URL.',
      );
    }
    if (code === NO_PERMISSION) {
      return new Fault(
        `The user of DATABASE_URL may not do this in the database ${name} (${cause.message}).`,
        'Use the user who owns the database.',
      );
    }
    if (NOT_LET_IN.has(code)) {
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
