import { AppError } from '@gleaner/contracts';
import { tables, type Database, type Executor, type Transaction } from '@gleaner/db';
import { desc, eq } from 'drizzle-orm';
import { listPage, matchesSearch } from '../platform/lists/page.ts';
import type { OutputOf, Perform } from '../platform/context.ts';
import { invalid } from '../platform/invalid-request.ts';
import { readSums } from '../platform/stored/stored-bytes.ts';

const { accounts } = tables;

export type AccountRecord = OutputOf<'updateAccount'>['account'];

/** @param storedBytes what the account stores */
export function toAccountRecord(row: typeof accounts.$inferSelect, storedBytes = 0): AccountRecord {
  return {
    id: row.id,
    name: row.name,
    active: row.isActive,
    credit_balance: row.balance,
    credits_reserved: row.reserved,
    credits_used: row.used,
    stored_bytes: storedBytes,
    concurrency: row.concurrency,
    requests_per_minute: row.requestsPerMinute,
    pending_limit: row.pendingLimit,
    cron_limit: row.cronLimit,
    cron_min_interval_seconds: row.cronMinIntervalSeconds,
    created_at: row.createdAt,
  };
}

async function toAccountRecords(
  db: Executor,
  rows: readonly (typeof accounts.$inferSelect)[],
): Promise<AccountRecord[]> {
  const sums = await readSums(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toAccountRecord(row, sums.get(row.id)));
}

/** Default limits of a new account. */
export const DEFAULT_LIMITS = {
  concurrency: 50,
  requestsPerMinute: 30_000,
  pendingLimit: 1_000_000,
  cronLimit: 100,
  cronMinIntervalSeconds: 300,
} as const;

export type AccountLimits = { -readonly [K in keyof typeof DEFAULT_LIMITS]: number };

/** Locks the account until the commit, so that concurrent creations are counted one after another. */
export async function lockAccount(tx: Transaction, accountId: string): Promise<typeof accounts.$inferSelect> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.id, accountId)).for('no key update');
  if (!account) throw new AppError('unauthorized');
  return account;
}

const MOST_CHARACTERS = 200;

/**
 * Checks and trims the name of an account or key. Lists show each name on one line.
 * @throws AppError invalid_request
 */
export function requireName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MOST_CHARACTERS || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name))
    throw invalid(
      'name',
      `must have 1 to ${MOST_CHARACTERS} characters, without line breaks and control characters`,
    );
  return name;
}

/** A page of all accounts, newest first. */
export const findAccounts: Perform<'listAccounts'> = async (ctx, { query }) => {
  const { items, pagination } = await listPage(
    query,
    accounts.id,
    [matchesSearch(query.text, accounts)],
    ctx.services.db.orm.select().from(accounts),
  );
  return { accounts: await toAccountRecords(ctx.services.db.orm, items), pagination };
};

/** All accounts, newest first. */
export async function listAccounts(db: Database): Promise<AccountRecord[]> {
  const rows = await db.orm.select().from(accounts).orderBy(desc(accounts.id));
  return toAccountRecords(db.orm, rows);
}

/** Refuses one more of what may be there `most` times. @throws AppError plan_limit_exceeded */
export function requireRoom(count: number, most: number, detail: string, hint?: string): void {
  if (count >= most) throw new AppError('plan_limit_exceeded', { detail, hint, retryable: false });
}
