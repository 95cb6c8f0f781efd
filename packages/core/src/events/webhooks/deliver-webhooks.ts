import { AppError, cutText, toStorableText, withTimeout } from '@gleaner/contracts';
import { type Database, tables } from '@gleaner/db';
import { Webhook } from 'standardwebhooks';
import { and, eq, sql } from 'drizzle-orm';
import type { Config } from '../../platform/config/load-config.ts';
import type { Logger } from '../../platform/log/log.ts';
import { unseal } from '../../platform/secrets/seal.ts';
import type { AlertMail } from './alert-body.ts';
import { prepareAlert } from './send-alert.ts';
import { endPending } from './change-webhooks.ts';
import {
  claimDeliveries,
  type ClaimedDelivery,
  pauseWebhook,
  quietAlert,
  resumeWebhook,
  waitMs,
} from './claim-deliveries.ts';
import { readAccountSecret, webhookPlace } from './webhook-secret.ts';

export interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Aborted at the time limit. */
  signal: AbortSignal;
}

/**
 * Posts a request through the egress guard, without following redirects. `body` is the beginning of the response body.
 * Throws when there is no response; the delivery log shows the detail of an AppError.
 */
export type SendWebhook = (request: WebhookRequest) => Promise<{ status: number; body?: string }>;

/** Sends a mail through the operator's mail server. @throws AppError with the server's refusal */
export type SendMail = (mail: AlertMail, signal: AbortSignal) => Promise<void>;

export interface DeliveryDeps {
  db: Database;
  config: Config;
  log: Logger;
  /** For signatures: the database's clock decides when deliveries are due. */
  now: () => Date;
  send: SendWebhook;
  /** Absent when the operator has set no mail server. */
  sendMail?: SendMail | undefined;
}

const { outbox, webhooks } = tables;

const TIMEOUT_MS = 15_000;
const SHOWN_CHARACTERS = 1000;
const GONE = 410;

interface Attempt {
  status: number | null;
  body: string | null;
  /** Null when the delivery succeeded. */
  error: string | null;
}

function describeFault(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `no response within ${TIMEOUT_MS / 1000} s`;
  if (error instanceof AppError) {
    const { detail = error.message, hint } = error.options;
    return hint === undefined ? detail : `${detail}. ${hint}`;
  }
  return 'the connection failed';
}

/** Alerts are signed as the `webhook_url` of a run is. */
async function sign(
  deps: DeliveryDeps,
  delivery: ClaimedDelivery,
  body: string,
): Promise<Record<string, string>> {
  const { secretKey } = deps.config;
  const secret =
    delivery.webhookId !== null && delivery.secret !== null && delivery.channel === null
      ? unseal(delivery.secret, { secretKey, place: webhookPlace(delivery.webhookId) })
      : await readAccountSecret(deps.db.orm, { secretKey, accountId: delivery.accountId });
  const at = deps.now();
  return {
    'content-type': 'application/json',
    'user-agent': 'Gleaner-Webhooks/1',
    'webhook-id': delivery.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(delivery.id, at, body),
  };
}

/** The reply of a mail server that took a mail. */
const MAIL_TAKEN = 250;

async function post(
  deps: DeliveryDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): ReturnType<SendWebhook> {
  const { webhookId, secret, channel, url, payload } = delivery;
  if (channel === null || webhookId === null || secret === null)
    return deps.send({ url, headers: await sign(deps, delivery, payload), body: payload, signal });
  const sending = await prepareAlert(deps, { ...delivery, webhookId, secret });
  if ('mail' in sending) {
    if (deps.sendMail === undefined)
      throw new AppError('temporarily_unavailable', { detail: 'GLEANER_SMTP_URL is not set' });
    await deps.sendMail(sending.mail, signal);
    return { status: MAIL_TAKEN };
  }
  const { body, headers, url: address } = sending.request;
  const signed = sending.isSigned ? await sign(deps, delivery, body) : {};
  return deps.send({ url: address, headers: { ...headers, ...signed }, body, signal });
}

async function attempt(deps: DeliveryDeps, delivery: ClaimedDelivery): Promise<Attempt> {
  const stop = new AbortController();
  const { signal } = stop;
  try {
    const { status, body = '' } = await withTimeout(post(deps, delivery, signal), TIMEOUT_MS, () => {
      stop.abort();
      throw new Error('timed out');
    });
    return {
      status,
      body: toStorableText(cutText(body, SHOWN_CHARACTERS)),
      error: status >= 200 && status < 300 ? null : `it answered ${status}`,
    };
  } catch (error) {
    return { status: null, body: null, error: describeFault(error, signal) };
  }
}

/** Stores the result of an attempt, unless the delivery was claimed again meanwhile. */
async function settle(
  { db, now }: DeliveryDeps,
  delivery: ClaimedDelivery,
  { status, body, error, tookMs }: Attempt & { tookMs: number },
): Promise<void> {
  const { tries, roundAt, roundAgeMs, webhookId } = delivery;
  await db.transact(async (tx) => {
    // Locks the webhook before its deliveries, in the same order as changes of the webhook.
    if (webhookId !== null) {
      if (error !== null) await pauseWebhook(tx, webhookId);
      else if (delivery.channel === null) await resumeWebhook(tx, webhookId);
      else await quietAlert(tx, webhookId);
    }
    const [webhook] =
      status === GONE && webhookId !== null
        ? await tx
            .select({ url: webhooks.url })
            .from(webhooks)
            .where(eq(webhooks.id, webhookId))
            .for('no key update')
        : [];
    // A response of the webhook's old URL doesn't apply to its new URL.
    const isGone = status === GONE && (webhookId === null || webhook?.url === delivery.url);
    const failed = { tries, ageMs: roundAgeMs + tookMs, random: Math.random() };
    const wait = error === null || isGone ? undefined : waitMs(failed);
    const [settled] = await tx
      .update(outbox)
      .set({
        state: error === null ? 'delivered' : wait === undefined ? 'failed' : 'pending',
        nextAttemptAt: wait === undefined ? null : sql`now() + ${wait}::float8 * interval '1 ms'`,
        claimedUntil: null,
        responseStatus: status,
        responseBody: body,
        error,
        // A failed replay doesn't undo the earlier delivery.
        deliveredAt: error === null ? sql`coalesce(${outbox.deliveredAt}, now())` : undefined,
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
    if (!settled || !isGone || webhookId === null) return;
    await tx
      .update(webhooks)
      .set({ isEnabled: false, disabledReason: `it answered 410 Gone at ${now().toISOString()}` })
      .where(eq(webhooks.id, webhookId));
    await endPending(tx, webhookId);
  });
}

/** The most running deliveries per process. */
const MAX_UNDER_WAY = 200;

/**
 * Sends due deliveries; a slow endpoint doesn't delay the others. Close it at the end. At least once: a delivery whose
 * process dies is sent again after a minute, with the same webhook-id.
 */
export function createWebhookSender(deps: DeliveryDeps) {
  const underWay = new Set<Promise<void>>();
  let claiming: Promise<number> | undefined;
  /** A delivery ended after the running claim began. */
  let isFreed = false;
  let isClosing = false;

  const send = async (delivery: ClaimedDelivery): Promise<void> => {
    try {
      const begunAt = performance.now();
      const result = await attempt(deps, delivery);
      await settle(deps, delivery, { ...result, tookMs: performance.now() - begunAt });
    } catch (error) {
      deps.log.error({ err: error, deliveryId: delivery.id }, 'a webhook delivery failed');
    }
  };
  const begin = (delivery: ClaimedDelivery): void => {
    const sending = send(delivery).finally(() => {
      underWay.delete(sending);
      isFreed = true;
      // A running claim begins the next one itself.
      if (!claiming) goOn();
    });
    underWay.add(sending);
  };
  const claim = async (): Promise<number> => {
    isFreed = false;
    const limit = MAX_UNDER_WAY - underWay.size;
    if (limit <= 0 || isClosing) return 0;
    const claimed = await claimDeliveries(deps.db, limit);
    claimed.forEach(begin);
    return claimed.length;
  };

  /**
   * Claims due deliveries and starts to send them without waiting for responses. Returns the number started. Any number of
   * processes call it about once a second. After each response it claims again by itself.
   */
  const tick = (): Promise<number> => {
    claiming ??= claim().finally(() => {
      claiming = undefined;
      if (isFreed) goOn();
    });
    return claiming;
  };

  const goOn = (): void => {
    if (isClosing) return;
    tick().catch((error: unknown) => deps.log.warn({ err: error }, 'could not claim webhook deliveries'));
  };

  return {
    tick,
    /** Waits for running deliveries. */
    close: async (): Promise<void> => {
      isClosing = true;
      await claiming?.catch(() => undefined);
      await Promise.all(underWay);
    },
  };
}
