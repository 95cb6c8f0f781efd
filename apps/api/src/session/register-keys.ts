import { AppError } from '@gleaner/contracts';
import {
  createAccountKey,
  findAccountSession,
  listKeys,
  revokeAccountKey,
  validate,
  type KeyRecord,
} from '@gleaner/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requireOwnPage } from '../http/same-origin.ts';
import { readSessionCookie } from '../http/session-cookie.ts';
import type { ApiServices } from '../services.ts';

/** Calls about keys that one account may make a minute. */
const CALLS_PER_MINUTE = 120;
const keyBody = z.strictObject({ name: z.string().trim().min(1).max(200) });

function withoutAccount({ account_id: _account, ...key }: KeyRecord): Omit<KeyRecord, 'account_id'> {
  return key;
}

/** The keys of the account that is signed in: only the dashboard's session may make and revoke them. */
export function registerKeys(app: FastifyInstance, { db, rateLimiter }: ApiServices): void {
  const requireAccount = async (request: FastifyRequest): Promise<string> => {
    requireOwnPage(request);
    const token = readSessionCookie(request, 'account');
    if (token === undefined) throw new AppError('unauthorized', { detail: 'nobody is signed in' });
    const { accountId } = await findAccountSession(db, token);
    await rateLimiter.consume(`keys:${accountId}`, CALLS_PER_MINUTE);
    return accountId;
  };

  app.get('/session/keys', async (request) => {
    const accountId = await requireAccount(request);
    return { keys: (await listKeys(db, accountId)).map(withoutAccount) };
  });

  app.post('/session/keys', { bodyLimit: 4096 }, async (request, reply) => {
    const accountId = await requireAccount(request);
    const { name } = validate(keyBody, request.body ?? {}, 'body') as z.output<typeof keyBody>;
    const { record, key } = await createAccountKey(db, { accountId, name });
    return reply.code(201).send({ ...withoutAccount(record), api_key: key });
  });

  app.delete<{ Params: { id: string } }>('/session/keys/:id', async (request) => {
    const accountId = await requireAccount(request);
    return withoutAccount(await revokeAccountKey(db, { accountId, id: request.params.id }));
  });
}
