import { openInteractive } from '@gleaner/core';
import { createTestAccount, openTestServices, submitTestRequest } from '@gleaner/core/testing';
import { ENGINE } from '@gleaner/db';
import type { Delivery } from '@gleaner/queue';
import { expect, inject, it } from 'vitest';
import { startRedis } from './processes/redis.ts';

/** A server of its own, because it is stopped. */
const redis = await startRedis();
const missing = 'missing' in redis ? redis.missing : undefined;

it.skipIf('missing' in redis)(
  'a request that ended is answered while Redis is away, though another waits for its delivery',
  { meta: { missing } },
  async () => {
    if ('missing' in redis) return;
    const { services, close } = await openTestServices({ kind: 'redis', redisUrl: redis.url });
    const { db, queue } = services;
    let hasTried = false;
    const deliver = (deliveries: readonly Delivery[]) => {
      hasTried = true;
      return queue.deliver(deliveries);
    };
    const interactive = await openInteractive({ ...services, queue: { ...queue, deliver } });
    await db.sql`INSERT INTO gleaner.workers (id, engines, pid, host, seen_at)
      VALUES ('wrk_a', '{http}', 1, 'here', now() + interval '1 minute')`;
    const left = new AbortController();
    const submit = async (id: string) => {
      const { accountId } = await createTestAccount(services, { credits: 50 });
      expect(await submitTestRequest(services, { id, accountId })).toMatchObject({ outcome: 'queued' });
      const request = { accountId, rank: 1, deadlineAt: Date.now() + 30_000, signal: left.signal };
      return { answer: interactive.answers.wait(id, { ...request, queue: 'interactive-http' }) };
    };
    await redis.kill();
    const waiting = await submit('req_waits');
    const ended = await submit('req_ends');
    await expect.poll(() => hasTried).toBe(true);
    // As its worker ends it, whose message needs Redis.
    await db.sql`SELECT * FROM ${db.sql(ENGINE)}.start_requests(p_ids => '{req_ends}', p_attempts => '{1}', p_worker => 'wrk_a',
      p_lease_ms => 60000, p_level => 1000)`;
    await db.sql`SELECT * FROM ${db.sql(ENGINE)}.end_requests(p_ids => '{req_ends}', p_attempts => '{1}',
      p_states => '{succeeded}', p_answers => '{"title":"a"}', p_errors => '', p_lock_ms => 1000)`;
    const from = performance.now();
    expect(await ended.answer).toMatchObject({ state: 'succeeded', answer: '{"title":"a"}' });
    if (inject('isLong')) expect(performance.now() - from).toBeLessThan(3_000);
    expect(await waiting.answer).toMatchObject({
      state: 'failed',
      error: { detail: 'the queue is unavailable' },
    });
    left.abort();
    await redis.restart();
    await interactive.close();
    await close();
    await redis.stop();
  },
);
