import { tables, type Executor } from '@gleaner/db';
import { eq, sql } from 'drizzle-orm';
import { createId } from '../../platform/ids.ts';
import { invalid } from '../../platform/invalid-request.ts';
import { toDeliveryRecord, type WebhookRow } from './webhook-record.ts';

const { outbox, webhooks } = tables;

/** Queues an event for one webhook or alert, at once. */
export async function addDelivery(
  tx: Executor,
  to: Pick<WebhookRow, 'id' | 'accountId' | 'url'>,
  { event, payload }: { event: string; payload: object },
) {
  const [row] = await tx
    .insert(outbox)
    .values({
      id: createId('delivery'),
      accountId: to.accountId,
      webhookId: to.id,
      url: to.url,
      event,
      payload: JSON.stringify(payload),
      nextAttemptAt: sql`now()`,
    })
    .returning();
  if (!row) throw new Error('the delivery was not stored');
  return row;
}

/** Sends a test event to a webhook or an alert, at once. @throws AppError invalid_request: it is disabled or not confirmed */
export async function sendTest(tx: Executor, webhook: WebhookRow) {
  const { id, channel, name, isEnabled, confirmed } = webhook;
  const kind = channel === null ? 'webhook' : 'alert';
  if (!isEnabled)
    throw invalid(
      'id',
      `${kind} ${id} is disabled`,
      `Enable it with PUT /v1/${kind}s/{id} {"enabled": true} first.`,
    );
  if (!confirmed)
    throw invalid(
      'id',
      `the address of alert ${id} is not confirmed`,
      'Its owner follows the link of the mail first.',
    );
  await tx.update(webhooks).set({ resumesAt: null }).where(eq(webhooks.id, id));
  const data = channel === null ? { id } : { id, name };
  const type = `${kind}.test`;
  const payload = { type, timestamp: new Date().toISOString(), data };
  const row = await addDelivery(tx, webhook, { event: type, payload });
  return toDeliveryRecord({ ...row, shared: null });
}
