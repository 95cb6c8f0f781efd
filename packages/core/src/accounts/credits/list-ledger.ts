import type { listLedger as operation, OperationInput, OperationOutput } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import type { Context } from '../../platform/context.ts';
import { listPage } from '../../platform/lists/page.ts';

const { ledgerEntries } = tables;

export async function listLedger(
  ctx: Context,
  { query }: OperationInput<typeof operation>,
): Promise<OperationOutput<typeof operation>> {
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
}
