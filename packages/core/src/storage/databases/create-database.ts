import { AppError, type createDatabase as operation } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq, sql } from 'drizzle-orm';
import { write, type Context } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import { seal } from '../../platform/secrets/seal.ts';
import { readConnectionUrl, showTarget } from '../external/connection-target.ts';
import { toDatabaseRecord } from './database-record.ts';
import type { DatabaseServices } from './database-services.ts';
import { connectionPlace } from '../external/external-databases.ts';
import { quoteIdentifier } from './sql-text.ts';
import type { Perform } from '../../platform/perform.ts';

const { databases } = tables;

/** The most databases per account, because schemas are not free. */
const MAX_DATABASES = 100;

/** The columns of a connection, after a successful test. */
export async function sealConnection(
  { services, accountId }: Context<DatabaseServices>,
  id: string,
  connectionUrl: string,
): Promise<{ connection: Buffer; host: string }> {
  const { config, external } = services;
  const target = readConnectionUrl(connectionUrl);
  await external.probe(accountId, target);
  const connection = seal(connectionUrl, { secretKey: config.secretKey, place: connectionPlace(id) });
  return { connection, host: showTarget(target) };
}

export function nameTaken(name: string): AppError {
  return new AppError('name_taken', { field: 'name', detail: `a database named ${name} already exists` });
}

export const createDatabase: Perform<typeof operation, DatabaseServices> = async (ctx, { body }) => {
  const id = createId('database');
  const { kind, name } = body;
  const connection = kind === 'postgres' ? await sealConnection(ctx, id, body.connection_url) : {};
  return write(ctx, async (tx) => {
    const known = await tx.$count(databases, eq(databases.accountId, ctx.accountId));
    if (known >= MAX_DATABASES) {
      throw new AppError('plan_limit_exceeded', {
        detail: `an account has at most ${MAX_DATABASES} databases`,
        retryable: false,
      });
    }
    const [row] = await tx
      .insert(databases)
      .values({ id, accountId: ctx.accountId, name, kind, ...connection })
      .onConflictDoNothing({ target: [databases.accountId, databases.name] })
      .returning();
    if (!row) throw nameTaken(name);
    if (kind === 'managed') await tx.execute(sql.raw(`CREATE SCHEMA ${quoteIdentifier(id)}`));
    return toDatabaseRecord(row);
  });
};
