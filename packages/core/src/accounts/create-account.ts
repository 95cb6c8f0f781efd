import { AppError } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { createId } from '../platform/ids.ts';
import { createKey } from './keys/issue-keys.ts';
import { DEFAULT_LIMITS, toAccountRecord, type AccountLimits, type AccountRecord } from './account-record.ts';
import { grantCredits } from './credits/grant-credits.ts';
import { requireName } from './account-record.ts';

export interface NewAccount extends Partial<AccountLimits> {
  name: string;
  credits: number;
}

/**
 * Creates an account with its first key.
 * @throws AppError name_taken, invalid_request
 */
export async function createAccount(
  db: Database,
  input: NewAccount,
): Promise<{ account: AccountRecord; api_key: string }> {
  return db.transact(async (tx) => {
    const { credits, ...limits } = input;
    const name = requireName(input.name);
    const id = createId('account');
    const inserted = await tx
      .insert(tables.accounts)
      .values({ id, ...DEFAULT_LIMITS, ...limits, name })
      .onConflictDoNothing({ target: tables.accounts.name })
      .returning();
    if (inserted.length === 0) {
      throw new AppError('name_taken', {
        field: 'name',
        detail: `an account named ${name} already exists`,
      });
    }
    const account = await grantCredits(tx, { accountId: id, credits });
    const { key } = await createKey(tx, { accountId: id, name: 'first' });
    return { account: toAccountRecord(account), api_key: key };
  });
}
