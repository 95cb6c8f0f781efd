import { AppError, type createWebhook as operation } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, eq, isNull } from 'drizzle-orm';
import { write } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import { seal } from '../../platform/secrets/seal.ts';
import { toWebhookRecord } from './webhook-record.ts';
import { createSecret, webhookPlace } from './webhook-secret.ts';
import type { Perform } from '../../platform/perform.ts';

const { webhooks } = tables;

/** The most webhooks of an account. Every event creates a row for each. */
const MAX_WEBHOOKS = 50;

/** Creates a webhook. Only this response shows the secret. */
export const createWebhook: Perform<typeof operation> = async (ctx, { body }) => {
  const id = createId('webhook');
  const secret = createSecret();
  const { secretKey } = ctx.services.config;
  const sealed = seal(secret, { secretKey, place: webhookPlace(id) });
  return write(ctx, async (tx) => {
    if (
      (await tx.$count(webhooks, and(eq(webhooks.accountId, ctx.accountId), isNull(webhooks.deletedAt)))) >=
      MAX_WEBHOOKS
    ) {
      throw new AppError('plan_limit_exceeded', {
        detail: `an account has at most ${MAX_WEBHOOKS} webhooks`,
        retryable: false,
      });
    }
    const [row] = await tx
      .insert(webhooks)
      .values({
        id,
        accountId: ctx.accountId,
        url: body.url,
        events: [...new Set(body.events)],
        secret: sealed,
      })
      .returning();
    if (!row) throw new Error('the webhook was not stored');
    return { ...toWebhookRecord(row), secret };
  });
};
