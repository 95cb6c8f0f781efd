import { createConnection } from 'node:net';
import { openRateLimiter, toAppError } from '@gleaner/core';
import { openTestServices } from '@gleaner/core/testing';
import { createQueueBackend, type Payload, type QueueBackend } from '@gleaner/queue';
import { expect, it } from 'vitest';
import { startRedis, type TestRedis } from './processes/redis.ts';

/** A server of its own, because it is frozen and filled. */
const redis = await startRedis();
const missing = 'missing' in redis ? redis.missing : undefined;
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Sends commands past the clients that are tested. */
async function command({ url }: TestRedis, text: string): Promise<void> {
  const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(url).port) });
  socket.write(`${text}\r\n`);
  await new Promise<void>((resolve, reject) => {
    socket.once('data', (data) => {
      if (data.toString().startsWith('-')) reject(new Error(data.toString()));
      else resolve();
    });
  });
  socket.destroy();
}

/** What callers of the queue see, one after the other: undefined when it works. */
async function faultsOf(queue: QueueBackend): Promise<unknown[]> {
  const works = [
    () => queue.deliver([{ queue: 'interactive-http', jobId: undefined, payload: { kind: 'canary' } }]),
    () =>
      queue.setWakeUps([
        { cronId: 'cron_a', schedule: '0 0 * * *', timezone: 'UTC', account: 'a', name: 'a' },
      ]),
  ];
  return Promise.all(works.map((work) => work().then(() => undefined, toAppError)));
}

const AWAY = { code: 'temporarily_unavailable', options: { retryAfterSeconds: 5 } };

it.skipIf('missing' in redis)(
  'a Redis that is frozen, full or a replica fails work for the queue as unavailable, and limits go on without it',
  { meta: { missing }, timeout: 120_000 },
  async () => {
    if ('missing' in redis) return;
    const { services, close } = await openTestServices({ kind: 'postgres', redisUrl: undefined });
    const queue = await createQueueBackend({ redisUrl: redis.url, databaseUrl: '', log });
    const { limiter, close: closeLimiter } = openRateLimiter({
      redisUrl: redis.url,
      db: services.db,
      log: services.log,
    });
    await expect.poll(() => limiter.consume('key:a', 1_000).then(() => 'counted', String)).toBe('counted');
    const heard: string[] = [];
    await queue.signals.listen('here', (message) => void heard.push(message));
    const taken = new Set<string>();
    const take = async (payload: Payload): Promise<void> => {
      if (payload.kind === 'request') taken.add(payload.id);
    };
    queue.consume('batch-http', take, { concurrency: 1 });
    /** The callers' work, and the consumer that waits for some. */
    const works = async (id: string): Promise<void> => {
      await expect.poll(() => faultsOf(queue), { timeout: 100_000 }).toEqual([undefined, undefined]);
      await queue.deliver([
        { queue: 'batch-http', jobId: undefined, payload: { kind: 'request', id, attempt: 1 } },
      ]);
      await expect.poll(() => taken.has(id), { timeout: 100_000 }).toBe(true);
    };
    await works('before');

    redis.signal('SIGSTOP');
    // The second time, the connection is known to be silent.
    for (let times = 0; times < 2; times += 1) {
      const [faults, limit] = await Promise.all([faultsOf(queue), limiter.consume('key:a', 1_000)]);
      expect(faults).toMatchObject([AWAY, AWAY]);
      expect(limit).toMatchObject({ limit: 1_000 });
    }
    await expect(queue.ping()).rejects.toMatchObject({ code: 'QUEUE_AWAY' });
    await expect(queue.counts('batch-http')).rejects.toMatchObject({ code: 'QUEUE_AWAY' });
    redis.signal('SIGCONT');
    await works('frozen');
    queue.signals.send('here', 'again');
    await expect.poll(() => heard).toEqual(['again']);

    for (const [fault, repair] of [
      ['CONFIG SET maxmemory 1', 'CONFIG SET maxmemory 0'],
      ['REPLICAOF 127.0.0.1 1', 'REPLICAOF NO ONE'],
      ['CONFIG SET min-replicas-to-write 1', 'CONFIG SET min-replicas-to-write 0'],
    ] as const) {
      await command(redis, fault);
      expect((await faultsOf(queue))[0], fault).toMatchObject(AWAY);
      expect(await limiter.consume('key:a', 1_000)).toMatchObject({ limit: 1_000 });
      await command(redis, repair);
      await works(fault);
    }
    await queue.close();
    await closeLimiter();
    await close();
    await redis.stop();
  },
);
