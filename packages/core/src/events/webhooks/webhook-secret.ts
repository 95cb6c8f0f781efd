import { randomBytes } from 'node:crypto';
import { tables, type Executor } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import { write, type Perform } from '../../platform/context.ts';
import { seal, unseal } from '../../platform/secrets/seal.ts';

const { webhookSecrets } = tables;

/** The format of Standard Webhooks: whsec_ and 24 to 64 random bytes in base64. */
export function createSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The context to which a webhook's secret is sealed; `accountPlace` is the one for an account's secret. */
export function webhookPlace(webhookId: string): string {
  return `webhook:${webhookId}`;
}
export function accountPlace(accountId: string): string {
  return `webhooks:${accountId}`;
}

/** The secret that signs events for the webhook_url of single runs. Created on first use. */
export async function readAccountSecret(
  db: Executor,
  { secretKey, accountId }: { secretKey: string | undefined; accountId: string },
): Promise<string> {
  const place = accountPlace(accountId);
  const find = () => db.select().from(webhookSecrets).where(eq(webhookSecrets.accountId, accountId));
  const [known] = await find();
  if (known) return unseal(known.secret, { secretKey, place });
  await db
    .insert(webhookSecrets)
    .values({ accountId, secret: seal(createSecret(), { secretKey, place }) })
    .onConflictDoNothing();
  const [made] = await find();
  if (!made) throw new Error('the secret was not stored');
  return unseal(made.secret, { secretKey, place });
}

export const getWebhookSecret: Perform<'getWebhookSecret'> = async (ctx) => {
  const { db, config } = ctx.services;
  return {
    secret: await readAccountSecret(db.orm, { secretKey: config.secretKey, accountId: ctx.accountId }),
  };
};

/** Replaces the secret. Running deliveries may still have the old signature. */
export const rotateWebhookSecret: Perform<'rotateWebhookSecret'> = async (ctx) => {
  const { secretKey } = ctx.services.config;
  const { accountId } = ctx;
  const secret = createSecret();
  const sealed = seal(secret, { secretKey, place: accountPlace(accountId) });
  return write(ctx, async (tx) => {
    await tx
      .insert(webhookSecrets)
      .values({ accountId, secret: sealed })
      .onConflictDoUpdate({ target: webhookSecrets.accountId, set: { secret: sealed } });
    return { secret };
  });
};
