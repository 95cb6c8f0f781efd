import { invalid } from '../../platform/invalid-request.ts';
import { errorCodeOf, PG_ERRORS, type Database } from '@gleaner/db';
import { randomBytes } from 'node:crypto';
import { AppError } from '@gleaner/contracts';
import { sql } from 'drizzle-orm';
import { write, type Perform, type OutputOf } from '../../platform/context.ts';
import { confineLogins } from './confine-logins.ts';
import { readDatabase } from './database-record.ts';
import type { DatabaseServices } from './database-services.ts';
import { endReaderSessions, readerName, saveReader } from './reader-login.ts';
import { textRunner } from './sql-text.ts';

/** Creates the login on the first call. Each further call sets a new password and ends the login's sessions. */
export const createDatabaseCredentials: Perform<'createDatabaseCredentials', DatabaseServices> = async (
  ctx,
  { params },
) => {
  const { db } = ctx.services;
  const database = await readDatabase(db.orm, { accountId: ctx.accountId, id: params.id });
  if (database.kind !== 'managed') {
    throw invalid(
      'id',
      'Gleaner creates logins only for managed databases; create a login in the external database itself',
    );
  }
  const reader = readerName(database.id);
  const password = randomBytes(24).toString('base64url');
  const answer = describeLogin(db, { schema: database.id, user: reader, password });
  try {
    await write(ctx, async (tx) => {
      const [locked] = await tx.execute(
        sql`UPDATE gleaner.databases SET reader = ${reader} WHERE id = ${database.id} RETURNING id`,
      );
      if (!locked) throw new AppError('not_found');
      const runner = textRunner(tx);
      await confineLogins(runner);
      await saveReader(runner, { schema: database.id, reader, password });
      return answer;
    });
  } catch (error) {
    if (errorCodeOf(error) !== PG_ERRORS.insufficientPrivilege) throw error;
    throw new AppError('temporarily_unavailable', {
      detail: 'the Postgres user of the service may not create logins',
      hint: 'The operator can grant it CREATEROLE.',
      retryable: false,
      cause: error,
    });
  }
  if (database.reader !== null) await endReaderSessions(db.sql, reader);
  return answer;
};

function describeLogin(
  { address }: Database,
  login: { schema: string; user: string; password: string },
): OutputOf<'createDatabaseCredentials'> {
  const { host, port, database } = address;
  const url = new URL(`postgres://localhost/${encodeURIComponent(database)}`);
  url.hostname = host;
  url.port = String(port);
  url.username = login.user;
  url.password = login.password;
  return { host, port, database, ...login, connection_url: url.href };
}
