import { AppError } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { createId } from '../platform/ids.ts';
import { createKey } from './keys/issue-keys.ts';
import {
  DEFAULT_LIMITS,
  toAccountRecord,
  type AccountLimits,
  type AccountRecord,
  requireName,
} from './account-record.ts';
import { readSums } from '../platform/stored/stored-bytes.ts';
import { grantCredits } from './credits/credits.ts';
import { eq, or } from 'drizzle-orm';

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
    if (inserted.length === 0)
      throw new AppError('name_taken', {
        field: 'name',
        detail: `an account named ${name} already exists`,
      });
    const account = await grantCredits(tx, { accountId: id, credits });
    const { key } = await createKey(tx, { accountId: id, name: 'first' });
    return { account: toAccountRecord(account), api_key: key };
  });
}

export interface AccountChange extends Partial<AccountLimits> {
  /** Identifier or name. */
  account: string;
  name?: string;
  active?: boolean;
  /** Credits to add; negative numbers remove credits. */
  grant?: number;
}

/** @throws AppError not_found, name_taken, invalid_request, insufficient_credits */
export async function updateAccount(db: Database, change: AccountChange): Promise<AccountRecord> {
  return db.transact(async (tx) => {
    const { account, grant, active: isActive, name: given, ...limits } = change;
    const { accounts } = tables;
    const name = given === undefined ? undefined : requireName(given);
    const [known] = await tx
      .select()
      .from(accounts)
      .where(or(eq(accounts.id, account), eq(accounts.name, account)))
      .for('no key update');
    if (!known) throw new AppError('not_found', { detail: `there is no account ${account}` });
    const isRenamed = name !== undefined && name !== known.name;
    if (isRenamed && (await tx.$count(accounts, eq(accounts.name, name))) > 0)
      throw new AppError('name_taken', { field: 'name', detail: `another account is named ${name}` });
    const values = { ...limits, name, isActive };
    const isChanged = Object.values(values).some((value) => value !== undefined);
    const [row = known] = isChanged
      ? await tx.update(accounts).set(values).where(eq(accounts.id, known.id)).returning()
      : [];
    const changed =
      grant === undefined ? row : await grantCredits(tx, { accountId: known.id, credits: grant });
    return toAccountRecord(changed, (await readSums(tx, [known.id])).get(known.id));
  });
}
