import { AppError } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import { Webhook } from 'standardwebhooks';
import { tables } from '@gleaner/db';
import { and, eq } from 'drizzle-orm';
import type { Config } from '../config/load-config.ts';
import type { Logger } from '../log.ts';
import { unseal } from '../secrets/seal.ts';
import { cleanText } from '../sinks/clean-text.ts';
import { endPending } from './change-webhooks.ts';
import { claimDeliveries, type ClaimedDelivery } from './claim-deliveries.ts';
import { nextTryAt } from './retry-schedule.ts';
import { readAccountSecret, webhookPlace } from './webhook-secret.ts';

export interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Aborted when the time is over. */
  signal: AbortSignal;
}

/**
 * Posts a request through the egress guard, without following redirects. `body` is the beginning of the answer.
 * Throws when there is no answer; the detail of an AppError is shown in the delivery log.
 */
export type SendWebhook = (request: WebhookRequest) => Promise<{ status: number; body?: string }>;

export interface DeliveryDeps {
  db: Database;
  config: Pick<Config, 'secretKey'>;
  log: Logger;
  now: () => Date;
  send: SendWebhook;
}

const { outbox, webhooks } = tables;

const TIMEOUT_MS = 15_000;
const SHOWN_CHARACTERS = 1000;
const GONE = 410;

interface Attempt {
  status: number | null;
  body: string | null;
  /** Null: it arrived. */
  error: string | null;
}

const describeFault = (error: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return `no answer within ${TIMEOUT_MS / 1000} s`;
  if (error instanceof AppError) return error.options.detail ?? error.message;
  return 'the connection failed';
};

const sign = async (deps: DeliveryDeps, delivery: ClaimedDelivery): Promise<Record<string, string>> => {
  const { secretKey } = deps.config;
  const secret =
    delivery.webhookId !== null && delivery.secret !== null
      ? unseal(delivery.secret, { secretKey, place: webhookPlace(delivery.webhookId) })
      : await readAccountSecret(deps.db.orm, { secretKey, accountId: delivery.accountId });
  const at = deps.now();
  return {
    'content-type': 'application/json',
    'user-agent': 'Gleaner-Webhooks/1',
    'webhook-id': delivery.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(delivery.id, at, delivery.payload),
  };
};

const attempt = async (deps: DeliveryDeps, delivery: ClaimedDelivery): Promise<Attempt> => {
  const headers = await sign(deps, delivery);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('timed out')), { once: true });
  });
  try {
    const { url, payload } = delivery;
    const { status, body = '' } = await Promise.race([
      deps.send({ url, headers, body: payload, signal }),
      late,
    ]);
    return {
      status,
      body: cleanText(body.slice(0, SHOWN_CHARACTERS)),
      error: status >= 200 && status < 300 ? null : `it answered ${status}`,
    };
  } catch (error) {
    return { status: null, body: null, error: describeFault(error, signal) };
  }
};

/** Stores what came of an attempt, unless the delivery was claimed again meanwhile. */
const settle = async (
  { db, now }: DeliveryDeps,
  delivery: ClaimedDelivery,
  { status, body, error }: Attempt,
): Promise<void> => {
  const at = now();
  const isGone = status === GONE;
  const { tries, roundAt } = delivery;
  const next =
    error === null || isGone
      ? undefined
      : nextTryAt({ tries, roundAt: new Date(roundAt), now: at, random: Math.random() });
  await db.orm.transaction(async (tx) => {
    const [settled] = await tx
      .update(outbox)
      .set({
        state: error === null ? 'delivered' : next ? 'pending' : 'failed',
        nextAttemptAt: next?.toISOString() ?? null,
        responseStatus: status,
        responseBody: body,
        error,
        deliveredAt: error === null ? at.toISOString() : null,
      })
      .where(
        and(
          eq(outbox.id, delivery.id),
          eq(outbox.state, 'pending'),
          eq(outbox.attempts, delivery.attempts),
          eq(outbox.roundAt, roundAt),
        ),
      )
      .returning({ id: outbox.id });
    if (!settled || !isGone || delivery.webhookId === null) return;
    await tx
      .update(webhooks)
      .set({ isEnabled: false, disabledReason: `it answered 410 Gone at ${at.toISOString()}` })
      .where(and(eq(webhooks.id, delivery.webhookId), eq(webhooks.url, delivery.url)));
    await endPending(tx, delivery.webhookId);
  });
};

/**
 * Sends deliveries that are due, several at once, and answers how many. To be called every second by any number of
 * processes, also while an earlier call is still waiting for a slow endpoint. At least once: a delivery whose process
 * dies is sent again after a minute, with the same webhook-id.
 */
export const deliverDueWebhooks = async (deps: DeliveryDeps): Promise<number> => {
  const claimed = await claimDeliveries(deps.db, deps.now());
  await Promise.all(
    claimed.map(async (delivery) => {
      try {
        await settle(deps, delivery, await attempt(deps, delivery));
      } catch (error) {
        deps.log.error({ err: error, deliveryId: delivery.id }, 'a webhook delivery could not be made');
      }
    }),
  );
  return claimed.length;
};
