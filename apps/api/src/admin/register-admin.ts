import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { QUEUES } from '@gleaner/queue';
import type { FastifyInstance } from 'fastify';
import type { ApiServices } from '../services.ts';
import { guardOperator } from './operator-guard.ts';

/** Bull Board at /admin/queues, behind the operator's password. It only shows: Postgres decides about work. */
export async function registerAdmin(app: FastifyInstance, services: ApiServices): Promise<void> {
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
    guardOperator(scope, { password, rateLimiter: services.rateLimiter, db: services.db });
    await scope.register(adapter.registerPlugin(), { prefix: '/admin/queues' });
  });
}
