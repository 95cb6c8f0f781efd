import { AppError, type AlertTo } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, eq, sql } from 'drizzle-orm';
import { unseal } from '../../platform/secrets/seal.ts';
import { baseUrlOf } from '../../platform/config/base-url.ts';
import type { Config } from '../../platform/config/load-config.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import { webhookPlace } from './webhook-secret.ts';
import { mailOf, requestOf, type AlertMail, type AlertRequest } from './alert-body.ts';
import { gather, type AlertGroup } from './alert-text.ts';
import { mayMail, questionOf } from './confirm-alert.ts';

const { outbox } = tables;

/** Events that one message takes at once; the next attempt or message takes more. */
const MAX_GATHERED = 1_000;

/**
 * Takes the waiting events of the alert into a claimed delivery. An alert has one delivery under way, so no two do it at
 * once; a delivery that was claimed again meanwhile stays as it is.
 */
async function gatherWaiting(db: Database, delivery: ClaimedDelivery): Promise<AlertGroup> {
  return db.transact(async (tx) => {
    const mine = and(eq(outbox.id, delivery.id), eq(outbox.attempts, delivery.attempts));
    const [head] = await tx.select({ id: outbox.id }).from(outbox).where(mine).for('update');
    const taken = head
      ? await tx.execute<{ payload: string }>(sql`
          WITH taken AS (
            DELETE FROM gleaner.outbox o WHERE o.id = ANY (ARRAY(
              SELECT w.id FROM gleaner.outbox w
              WHERE coalesce(w.webhook_id, w.account_id) = ${delivery.webhookId} AND w.state = 'pending'
                AND w.id <> ${delivery.id} AND w.attempts = 0 AND w.event NOT LIKE 'alert.%'
              ORDER BY w.due_at LIMIT ${MAX_GATHERED} FOR UPDATE SKIP LOCKED))
            RETURNING o.id, o.event_no, o.payload
          )
          SELECT coalesce(e.payload, t.payload) AS payload FROM taken t
          LEFT JOIN gleaner.webhook_events e ON e.no = t.event_no ORDER BY t.id`)
      : [];
    const group = gather([delivery.payload, ...taken.map(({ payload }) => payload)]);
    if (taken.length > 0)
      await tx
        .update(outbox)
        .set({ payload: JSON.stringify(group), eventNo: null })
        .where(mine);
    return group;
  });
}

/** What a delivery of an alert sends: a request or a mail. */
export type AlertSending = { request: AlertRequest; isSigned: boolean } | { mail: AlertMail };

/**
 * Makes the message of an alert's delivery, with all events that wait for it.
 * @throws AppError plan_limit_exceeded: the account has sent its mails of the day
 */
export async function prepareAlert(
  { db, config }: { db: Database; config: Config },
  delivery: ClaimedDelivery & { webhookId: string; secret: Uint8Array },
): Promise<AlertSending> {
  const { webhookId: id, secret, accountId } = delivery;
  const sealed = unseal(secret, { secretKey: config.secretKey, place: webhookPlace(id) });
  // Written by createAlert, which validates it.
  const to = JSON.parse(sealed) as AlertTo;
  if (delivery.event === 'alert.confirm') {
    const address = to.type === 'email' ? to.address : '';
    return { mail: questionOf(config, { id, sealed: secret, address }) };
  }
  const group =
    delivery.event === 'alert.test' ? gather([delivery.payload]) : await gatherWaiting(db, delivery);
  const facts = { to, id, name: delivery.name ?? '', group, baseUrl: baseUrlOf(config) };
  if (to.type !== 'email') return { request: requestOf(facts, to), isSigned: to.type === 'webhook' };
  if (!(await mayMail(db.orm, accountId)))
    throw new AppError('plan_limit_exceeded', { detail: 'the account has sent its 200 e-mails of today' });
  return { mail: mailOf(facts, to.address) };
}
