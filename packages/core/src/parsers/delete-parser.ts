import type { deleteParser as operation } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq, sql } from 'drizzle-orm';
import { write } from '../platform/context.ts';
import { refuseUsed } from '../platform/references/refuse-used.ts';
import { lockParser } from './update-parser.ts';
import type { Perform } from '../platform/perform.ts';

/** Deletes a parser. Its versions stay for running work. @throws AppError not_found, in_use */
export const deleteParser: Perform<typeof operation> = async (ctx, { params }) => {
  return write(ctx, async (tx) => {
    await lockParser(tx, ctx.accountId, params.id);
    await refuseUsed(tx, ctx.accountId, 'parser', params.id);
    await tx
      .update(tables.parsers)
      .set({ deletedAt: sql`now()` })
      .where(eq(tables.parsers.id, params.id));
  });
};
