import type { listLedger as operation } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import { listPage } from '../../platform/lists/page.ts';
import type { Perform } from '../../platform/perform.ts';

const { ledgerEntries } = tables;

export const listLedger: Perform<typeof operation> = async (ctx, { query }) => {
  const { items, pagination } = await listPage(
    query,
    ledgerEntries.id,
    [eq(ledgerEntries.accountId, ctx.accountId)],
    ({ where, order, limit }) =>
      ctx.services.db.orm.select().from(ledgerEntries).where(where).orderBy(order).limit(limit),
  );
  return {
    entries: items.map((entry) => ({
      id: String(entry.id),
      kind: entry.kind,
      credits: entry.credits,
      reference: entry.reference,
      created_at: entry.createdAt,
    })),
    pagination,
  };
};
