import type { listAccounts } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq, ilike, or } from 'drizzle-orm';
import { listPage } from '../platform/lists/page.ts';
import { toAccountRecord } from './account-record.ts';
import type { Perform } from '../platform/perform.ts';

/** A page of all accounts, newest first. */
export const findAccounts: Perform<typeof listAccounts> = async (ctx, { query }) => {
  const { accounts } = tables;
  const { text = '' } = query;
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const { items, pagination } = await listPage(
    query,
    accounts.id,
    [text === '' ? undefined : or(ilike(accounts.name, pattern), eq(accounts.id, text))],
    ({ where, order, limit }) =>
      ctx.services.db.orm.select().from(accounts).where(where).orderBy(order).limit(limit),
  );
  return { accounts: items.map(toAccountRecord), pagination };
};
