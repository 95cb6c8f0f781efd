import { AppError } from '@gleaner/contracts';
import type { listLedger as operation, OperationInput, OperationOutput } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Context } from '../../platform/context.ts';
import { readPage } from '../../platform/lists/page.ts';

const { ledgerEntries } = tables;

function readEntryId(text: string): number {
  const id = Number(text);
  if (!Number.isSafeInteger(id))
    throw new AppError('invalid_request', { field: 'cursor', detail: 'not a cursor of this list' });
  return id;
}

export async function listLedger(
  ctx: Context,
  { query }: OperationInput<typeof operation>,
): Promise<OperationOutput<typeof operation>> {
  const { items, pagination } = await readPage(query, (before, limit) =>
    ctx.services.db.orm
      .select()
      .from(ledgerEntries)
      .where(
        and(
          eq(ledgerEntries.accountId, ctx.accountId),
          before === undefined ? undefined : lt(ledgerEntries.id, readEntryId(before)),
        ),
      )
      .orderBy(desc(ledgerEntries.id))
      .limit(limit),
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
