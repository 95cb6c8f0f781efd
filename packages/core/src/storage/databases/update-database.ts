import { errorCodeOf, PG_ERRORS, tables } from '@gleaner/db';
import { AppError, type updateDatabase as operation } from '@gleaner/contracts';
import { and, eq, sql } from 'drizzle-orm';
import { write } from '../../platform/context.ts';
import { nameTaken, sealConnection } from './create-database.ts';
import { readDatabase, toDatabaseRecord } from './database-record.ts';
import type { DatabaseServices } from './database-services.ts';
import type { Perform } from '../../platform/perform.ts';

const { databases } = tables;

export const updateDatabase: Perform<typeof operation, DatabaseServices> = async (ctx, { params, body }) => {
  const { db } = ctx.services;
  const { accountId } = ctx;
  const { name, connection_url: connectionUrl } = body;
  const known = await readDatabase(db.orm, { accountId, id: params.id });
  if (connectionUrl !== undefined && known.kind === 'managed') {
    throw new AppError('invalid_request', {
      field: 'connection_url',
      detail: 'a managed database has no connection URL',
    });
  }
  const connection = connectionUrl === undefined ? {} : await sealConnection(ctx, known.id, connectionUrl);
  try {
    return await write(ctx, async (tx) => {
      const [row] = await tx
        .update(databases)
        .set({ ...connection, ...(name === undefined ? {} : { name }), updatedAt: sql`clock_timestamp()` })
        .where(and(eq(databases.id, known.id), eq(databases.accountId, accountId)))
        .returning();
      if (!row) throw new AppError('not_found');
      return toDatabaseRecord(row);
    });
  } catch (error) {
    if (
      name !== undefined &&
      error instanceof Error &&
      errorCodeOf(error.cause) === PG_ERRORS.uniqueViolation
    )
      throw nameTaken(name);
    throw error;
  }
};
