import { AppError, type deleteCron as operation } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, eq } from 'drizzle-orm';
import { write } from '../platform/context.ts';
import type { Perform } from '../platform/perform.ts';

const { crons } = tables;

/** Deletes a cron. Its runs stay, and running ones continue. */
export const deleteCron: Perform<typeof operation> = async (ctx, { params }) => {
  await write(ctx, async (tx) => {
    const deleted = await tx
      .delete(crons)
      .where(and(eq(crons.id, params.id), eq(crons.accountId, ctx.accountId)))
      .returning({ id: crons.id });
    if (deleted.length === 0) throw new AppError('not_found');
  });
  // A failure is harmless: the next wake-up finds no cron and removes itself.
  await ctx.services.queue.removeWakeUps([params.id]).catch((error: unknown) => {
    ctx.log.warn(
      { err: error, cron: params.id },
      'the wake-up of a deleted cron could not be removed from the queue',
    );
  });
};
