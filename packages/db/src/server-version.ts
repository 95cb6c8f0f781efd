/** The oldest major version of Postgres: 17 brought `transaction_timeout`, and 18 is what we test. */
const OLDEST_POSTGRES = 18;

/** Says that a server is too old; undefined when it isn't. @param versionNumber `server_version_num` */
export function describeOldServer(versionNumber: number, version: string): string | undefined {
  if (versionNumber >= OLDEST_POSTGRES * 10_000) return undefined;
  return `Gleaner needs Postgres ${OLDEST_POSTGRES} or newer, and this server is ${version}`;
}

/** The server is too old for Gleaner. Nothing was changed. */
export class OldServerError extends Error {}
