import { Redis } from 'ioredis';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { redisReason } from './redis.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A client of a server that gives this answer to PING, and OK to every other command. */
async function clientOf(answer: string): Promise<Redis> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const commands = data.toString().match(/^\*\d+\r\n\$\d+\r\n\w+/gm) ?? [];
      for (const command of commands) socket.write(/ping$/i.test(command) ? answer : '+OK\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const redis = new Redis({
    port,
    host: '127.0.0.1',
    enableOfflineQueue: false,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    lazyConnect: true,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  ends.push(() => {
    redis.disconnect();
    server.close();
  });
  return redis;
}

it('says that Redis is not connected', async () => {
  const redis = await clientOf('+OK\r\n');
  const reason = await redis.ping().then(String, redisReason);
  expect(reason).toBe('Redis is not connected');
});

it('says which commands Redis refuses and why', async () => {
  const redis = await clientOf('-NOAUTH Authentication required.\r\n');
  await redis.connect().catch(() => undefined);
  expect(await redis.ping().then(String, redisReason)).toBe(
    'Redis refuses commands: NOAUTH Authentication required.',
  );
});

it('says where to look when Redis ends the connection', () => {
  const error = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  expect(redisReason(error)).toMatch(
    /^Redis closes the connections of this process \(EPIPE\): its log says why/,
  );
});
