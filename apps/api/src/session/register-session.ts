import { AppError } from '@gleaner/contracts';
import {
  clientNetwork,
  endAccountSession,
  endOperatorSession,
  findAccountSession,
  isOperatorSession,
  OPERATOR_SESSION_SECONDS,
  openAccountSession,
  openOperatorSession,
  redeemSignInLink,
  SESSION_SECONDS,
  validate,
} from '@gleaner/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { checkPassword } from '../admin/check-password.ts';
import type { ApiServices } from '../services.ts';
import { requireOwnPage } from '../http/same-origin.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../http/session-cookie.ts';

/** Sign-ins that one address may try a minute. */
const TRIES_PER_MINUTE = 30;
const BODY_LIMIT_BYTES = 4096;

const signInBody = z.union(
  [
    z.strictObject({ api_key: z.string().trim().min(1).max(200) }),
    z.strictObject({ link: z.string().min(1).max(200) }),
  ],
  'must hold api_key or link',
);
const operatorBody = z.strictObject({ password: z.string().min(1).max(1000) });

/**
 * Sign-in and sign-out of the dashboard. `/session` is the account's, `/session/operator` the operator's: apart, so
 * that neither gives the rights of the other.
 */
export function registerSession(app: FastifyInstance, services: ApiServices): void {
  const { db, keys, rateLimiter, config } = services;
  const options = { bodyLimit: BODY_LIMIT_BYTES };
  const operatorPassword = config.operatorPassword;

  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url?.startsWith('/session') === true) reply.header('cache-control', 'no-store');
  });

  app.post('/session', options, async (request, reply) => {
    requireOwnPage(request);
    await rateLimiter.consume(`sign-in:${clientNetwork(request.ip)}`, TRIES_PER_MINUTE);
    const body = validate(signInBody, request.body ?? {}, 'body') as z.output<typeof signInBody>;
    const { keyId } =
      'link' in body ? await redeemSignInLink(db, body.link) : await keys.authenticate(body.api_key);
    const token = await openAccountSession(db, keyId);
    setSessionCookie(reply, 'account', { token, maxAgeSeconds: SESSION_SECONDS });
    return reply.code(204).send();
  });

  app.get('/session', async (request) => {
    requireOwnPage(request);
    await rateLimiter.consume(`session:${clientNetwork(request.ip)}`, config.publicRequestsPerMinute);
    const token = readSessionCookie(request, 'account');
    if (token === undefined) throw new AppError('unauthorized', { detail: 'nobody is signed in' });
    const session = await findAccountSession(db, token);
    return {
      account: { id: session.accountId, name: session.accountName },
      key: { id: session.keyId, name: session.keyName, shown: session.keyShown },
      is_operator: await isOperator(request),
    };
  });

  app.delete('/session', async (request, reply) => {
    requireOwnPage(request);
    const token = readSessionCookie(request, 'account');
    if (token !== undefined) await endAccountSession(db, token);
    clearSessionCookie(reply, 'account');
    return reply.code(204).send();
  });

  app.post('/session/operator', options, async (request, reply) => {
    requireOwnPage(request);
    const { password } = validate(operatorBody, request.body ?? {}, 'body') as z.output<typeof operatorBody>;
    if (
      operatorPassword === undefined ||
      !(await checkPassword(rateLimiter, clientNetwork(request.ip), {
        given: password,
        expected: operatorPassword,
      }))
    ) {
      throw new AppError('unauthorized', {
        detail: 'this is not the operator’s password',
        hint: 'The password is in credentials.json of the data folder.',
      });
    }
    const token = await openOperatorSession(db, operatorPassword);
    setSessionCookie(reply, 'operator', { token, maxAgeSeconds: OPERATOR_SESSION_SECONDS });
    return reply.code(204).send();
  });

  app.delete('/session/operator', async (request, reply) => {
    requireOwnPage(request);
    const token = readSessionCookie(request, 'operator');
    if (token !== undefined && operatorPassword !== undefined)
      await endOperatorSession(db, token, operatorPassword);
    clearSessionCookie(reply, 'operator');
    return reply.code(204).send();
  });

  async function isOperator(request: FastifyRequest): Promise<boolean> {
    const token = readSessionCookie(request, 'operator');
    if (token === undefined || operatorPassword === undefined) return false;
    return isOperatorSession(db, token, operatorPassword);
  }
}
