import { createHash, timingSafeEqual } from 'node:crypto';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { AppError } from '@gleaner/contracts';
import { QUEUES } from '@gleaner/queue';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendError } from '../http/send-error.ts';
import type { ApiServices } from '../services.ts';

const USER = 'operator';
/** Guesses of the password that one address has a minute. */
const GUESSES_PER_MINUTE = 30;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const isOperator = (request: FastifyRequest, password: string): boolean => {
  const [scheme, encoded = ''] = (request.headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'basic') return false;
  const given = digest(Buffer.from(encoded, 'base64').toString('utf8'));
  return timingSafeEqual(given, digest(`${USER}:${password}`));
};

/** Bull Board at /admin/queues, behind the operator's password. It only shows: Postgres decides about work. */
export const registerAdmin = async (app: FastifyInstance, services: ApiServices): Promise<void> => {
  const password = services.config.operatorPassword;
  if (password === undefined) {
    services.log.warn({}, 'GLEANER_OPERATOR_PASSWORD is not set: /admin is closed');
    return;
  }
  const adapter = new FastifyAdapter();
  adapter.setBasePath('/admin/queues');
  createBullBoard({
    queues: QUEUES.map((name) => new BullMQAdapter(services.queue.queue(name), { readOnlyMode: true })),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Gleaner' } },
  });
  await app.register(async (scope) => {
    // Bull Board's plugin answers errors in its own way, so the refusal is sent here.
    scope.addHook('onRequest', async (request, reply) => {
      if (isOperator(request, password)) return undefined;
      try {
        await services.rateLimiter.consume(`operator:${request.ip}`, GUESSES_PER_MINUTE);
      } catch (error) {
        return sendError(request, reply, error);
      }
      reply.header('www-authenticate', 'Basic realm="Gleaner operator", charset="UTF-8"');
      return sendError(
        request,
        reply,
        new AppError('unauthorized', {
          detail: 'the operator’s user and password are asked for',
          hint: 'The password is in credentials.json of the data folder.',
        }),
      );
    });
    await scope.register(adapter.registerPlugin(), { prefix: '/admin/queues' });
  });
};
