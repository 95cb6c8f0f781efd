import { createRateLimiter } from '@gleaner/core';
import { createTestAccount, openTestServices, submitTestRun, testUrls } from '@gleaner/core/testing';
import { bothBackends } from '@gleaner/db/testing';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registerAdmin } from './register-admin.ts';

bothBackends('Bull Board', (backend) => {
  let opened: Awaited<ReturnType<typeof openTestServices>>;
  let app: FastifyInstance;
  beforeAll(async () => {
    opened = await openTestServices(backend);
    const { db, queue, log } = opened.services;
    app = Fastify();
    const rateLimiter = createRateLimiter({ sql: db.sql });
    await registerAdmin(app, { db, queue, log, rateLimiter, config: { operatorPassword: 'secret' } });
  });
  afterAll(async () => {
    await app.close();
    await opened.close();
  });

  const authorization = `Basic ${Buffer.from('operator:secret').toString('base64')}`;
  const look = async (path: string): Promise<unknown> =>
    (await app.inject({ url: `/admin/queues/api${path}`, headers: { authorization } })).json();

  it('shows runs as jobs, whatever the queue has lost', async () => {
    const { services } = opened;
    const { accountId } = await createTestAccount(services, { name: `owner ${backend.kind}`, credits: 9 });
    const { id } = await submitTestRun(services, accountId, testUrls(3), { name: 'prices' });
    await services.queue.queue('batch-http').obliterate({ force: true });
    const name = 'batch prices';
    const data = {
      kind: 'batch',
      name: 'prices',
      account: { id: accountId, name: `owner ${backend.kind}` },
      counts: { total: 3, succeeded: 0, failed: 0 },
    };
    const waiting = await look('/queues?activeQueue=runs&status=waiting&page=1&jobsPerPage=10');
    expect(waiting).toMatchObject({
      queues: [
        { name: 'runs', counts: { waiting: 1, completed: 0 }, jobs: [{ id, name, data, progress: 0 }] },
        { name: 'interactive-http' },
        { name: 'interactive-browser' },
        { name: 'batch-http' },
        { name: 'batch-browser' },
        { name: 'crons' },
      ],
    });
    await services.db.sql`
      UPDATE gleaner.runs SET state = 'failed', failed = 1, succeeded = 2, finished_at = now() WHERE id = ${id}`;
    expect(await look(`/queues/runs/${id}`)).toMatchObject({
      status: 'failed',
      job: { id, progress: 100, failedReason: '1 of 3 pages failed', isFailed: true },
    });
    expect(await look(`/queues/runs/${id}/logs`)).toEqual([]);
    const paused = await app.inject({
      method: 'PUT',
      url: '/admin/queues/api/queues/runs/pause',
      headers: { authorization },
    });
    // The board answers GET alone.
    expect(paused.statusCode).toBe(404);
  });
});
