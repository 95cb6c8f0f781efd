import type { deleteParser as operation, OperationInput } from '@gleaner/contracts';
import { ENGINE, tables } from '@gleaner/db';
import { eq, sql } from 'drizzle-orm';
import { write, type Context } from '../platform/context.ts';
import { asUsers, refuseUsed } from '../platform/references/refuse-used.ts';
import { lockParser } from './update-parser.ts';

/** Deletes a parser. Its versions stay for running work. @throws AppError not_found, in_use */
export async function deleteParser(
  ctx: Context,
  { params }: OperationInput<typeof operation>,
): Promise<void> {
  return write(ctx, async (tx) => {
    await lockParser(tx, ctx.accountId, params.id);
    const users = await tx.execute(
      sql`SELECT * FROM ${sql.identifier(ENGINE)}.list_users(${ctx.accountId}, p_parser => ${params.id})`,
    );
    refuseUsed(asUsers(users));
    await tx
      .update(tables.parsers)
      .set({ deletedAt: sql`now()` })
      .where(eq(tables.parsers.id, params.id));
  });
}
