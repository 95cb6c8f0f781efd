import { AppError } from '@gleaner/contracts';
import { listAccounts } from '@gleaner/core';
import type { Database } from '@gleaner/db';

/** @param account identifier or name @throws AppError not_found */
export async function findAccountId(db: Database, account: string): Promise<string> {
  const found = (await listAccounts(db)).find(({ id, name }) => id === account || name === account);
  if (!found) throw new AppError('not_found', { detail: `there is no account ${account}` });
  return found.id;
}
