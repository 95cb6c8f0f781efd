import { AppError } from '@gleaner/contracts';
import {
  createAccount,
  findAccounts,
  isOperatorSession,
  readOperatorView,
  updateAccount,
  validate,
  type AccountChange,
} from '@gleaner/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { requireOwnPage } from '../http/same-origin.ts';
import { readSessionCookie } from '../http/session-cookie.ts';
import type { ApiServices } from '../services.ts';

const BODY_LIMIT_BYTES = 16_384;
const PAGE_SIZE = 100;

const limits = {
  concurrency: z.int().min(1).max(100_000),
  requestsPerMinute: z.int().min(1).max(10_000_000),
  pendingLimit: z.int().min(0).max(1_000_000_000),
  cronLimit: z.int().min(0).max(1_000_000),
  cronMinIntervalSeconds: z.int().min(60).max(31_536_000),
};
const credits = z.int().min(-1_000_000_000_000).max(1_000_000_000_000);

const createBody = z.strictObject({ name: z.string().max(200), credits: credits.min(0) });
const changeBody = z.strictObject({
  name: z.string().max(200).optional(),
  active: z.boolean().optional(),
  grant: credits.optional(),
  ...z.object(limits).partial().shape,
});
const listQuery = z.object({ text: z.string().max(200).optional(), after: z.string().max(60).optional() });

/**
 * What the operator's pages of the dashboard ask: health, accounts, limits, credits. It answers to the operator's
 * session alone, and only to the dashboard's own pages.
 */
export function registerOperator(app: FastifyInstance, services: ApiServices): void {
  const { db } = services;
  const password = services.config.operatorPassword;
  if (password === undefined) return;
  void app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      requireOwnPage(request);
      const token = readSessionCookie(request, 'operator');
      if (token === undefined || !(await isOperatorSession(db, token, password)))
        throw new AppError('unauthorized', { detail: 'the operator’s session has ended' });
    });
    const options = { bodyLimit: BODY_LIMIT_BYTES };

    scope.get('/admin/api/health', () => readOperatorView(services));

    scope.get('/admin/api/accounts', async (request) => {
      const query = validate(listQuery, request.query ?? {}, 'query') as z.output<typeof listQuery>;
      const accounts = await findAccounts(db, { ...query, limit: PAGE_SIZE + 1 });
      const page = accounts.slice(0, PAGE_SIZE);
      return { accounts: page, next: accounts.length > PAGE_SIZE ? (page.at(-1)?.id ?? null) : null };
    });

    scope.post('/admin/api/accounts', options, async (request, reply) => {
      const body = validate(createBody, request.body ?? {}, 'body') as z.output<typeof createBody>;
      return reply.code(201).send(await createAccount(db, body));
    });

    scope.put<{ Params: { id: string } }>('/admin/api/accounts/:id', options, async (request) => {
      const body = validate(changeBody, request.body ?? {}, 'body') as z.output<typeof changeBody>;
      const given = Object.entries(body).filter(([, value]) => value !== undefined);
      const change: Omit<AccountChange, 'account'> = Object.fromEntries(given);
      return { account: await updateAccount(db, { ...change, account: request.params.id }) };
    });
  });
}
