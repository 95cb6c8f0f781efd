import type { listAccounts, OperationInput, OperationOutput } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, desc, eq, ilike, lt, or } from 'drizzle-orm';
import type { Context } from '../platform/context.ts';
import { readPage } from '../platform/lists/page.ts';
import { toAccountRecord } from './account-record.ts';

/** A page of all accounts, newest first. */
export async function findAccounts(
  ctx: Context,
  { query }: OperationInput<typeof listAccounts>,
): Promise<OperationOutput<typeof listAccounts>> {
  const { accounts } = tables;
  const { text = '' } = query;
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const { items, pagination } = await readPage(query, (before, limit) =>
    ctx.services.db.orm
      .select()
      .from(accounts)
      .where(
        and(
          text === '' ? undefined : or(ilike(accounts.name, pattern), eq(accounts.id, text)),
          before === undefined ? undefined : lt(accounts.id, before),
        ),
      )
      .orderBy(desc(accounts.id))
      .limit(limit),
  );
  return { accounts: items.map(toAccountRecord), pagination };
}
