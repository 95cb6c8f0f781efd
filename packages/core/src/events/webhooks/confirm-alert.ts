import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '@gleaner/contracts';
import { tables, type Database, type Executor } from '@gleaner/db';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { baseUrlOf } from '../../platform/config/base-url.ts';
import type { Config } from '../../platform/config/load-config.ts';

const { webhooks } = tables;

/** Questions to owners of addresses of an account, a day. */
const MAX_QUESTIONS = 5;
/** Mails of an account, a day. */
const MAX_MAILS = 200;

/** Proves that who has it read the mail: made of what is sealed in the alert, so that a changed address needs another. */
function tokenOf(secretKey: string | undefined, id: string, sealed: Uint8Array): string {
  return createHmac('sha256', Buffer.from(secretKey ?? '', 'hex'))
    .update(`confirm:${id}:`)
    .update(sealed)
    .digest('base64url');
}

/** The mail that asks the owner of an address. It names nothing of the account. */
export function questionOf(
  config: Config,
  { id, sealed, address }: { id: string; sealed: Uint8Array; address: string },
) {
  const link = `${baseUrlOf(config)}/alerts/confirm?alert=${id}&token=${tokenOf(config.secretKey, id, sealed)}`;
  return {
    to: address,
    subject: 'Gleaner: confirm this address',
    text: `Somebody wants alerts of Gleaner at ${baseUrlOf(config)} to come to this address.\n\nTo receive them, open this page and press the button:\n${link}\n\nOtherwise do nothing: no further mail comes.\n`,
  };
}

/** Confirms the address of an alert. @returns whether the link is one of a mail */
export async function confirmAlert(
  db: Database,
  secretKey: string | undefined,
  { id, token }: { id: string; token: string },
): Promise<boolean> {
  const own = and(eq(webhooks.id, id), eq(webhooks.channel, 'email'), isNull(webhooks.deletedAt));
  const [row] = await db.orm.select({ secret: webhooks.secret }).from(webhooks).where(own);
  if (row === undefined || secretKey === undefined) return false;
  const expected = Buffer.from(tokenOf(secretKey, id, row.secret));
  const given = Buffer.from(token);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  await db.orm
    .update(webhooks)
    .set({ confirmed: true, updatedAt: sql`now()` })
    .where(and(own, eq(webhooks.secret, row.secret)));
  return true;
}

async function count(db: Executor, accountId: string, subject: string): Promise<number> {
  const rows = await db.execute<{ count: number }>(sql`
    INSERT INTO gleaner.alert_mails AS m (account_id, subject, day)
    VALUES (${accountId}, ${subject}, (now() AT TIME ZONE 'UTC')::date)
    ON CONFLICT (account_id, subject, day) DO UPDATE SET count = m.count + 1 RETURNING count`);
  return rows[0]?.count ?? 0;
}

/**
 * Counts a question to the owner of an address, in the transaction that asks it.
 * @throws AppError plan_limit_exceeded: the address or the account had its questions of the day
 */
export async function countQuestion(tx: Executor, accountId: string, address: string): Promise<void> {
  const digest = createHash('sha256').update(address.toLowerCase()).digest('hex');
  const made = await tx.execute(sql`
    INSERT INTO gleaner.alert_mails (account_id, subject, day)
    VALUES (${accountId}, ${`confirm:${digest}`}, (now() AT TIME ZONE 'UTC')::date) ON CONFLICT DO NOTHING RETURNING 1`);
  const isFirst = made.length > 0;
  if (isFirst && (await count(tx, accountId, 'confirm')) <= MAX_QUESTIONS) return;
  throw new AppError('plan_limit_exceeded', {
    field: 'to.address',
    detail: isFirst
      ? `an account asks ${MAX_QUESTIONS} addresses a day`
      : 'this address was asked today already',
    hint: 'Try again tomorrow.',
  });
}

/** Whether the account may send another mail today; counts it. */
export async function mayMail(db: Executor, accountId: string): Promise<boolean> {
  return (await count(db, accountId, 'mail')) <= MAX_MAILS;
}
