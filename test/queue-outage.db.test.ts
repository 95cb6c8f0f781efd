import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createQueueBackend, migratePostgresQueue, type Delivery } from '@gleaner/queue';
import { afterAll, expect, it } from 'vitest';
import { startPostgres } from '@gleaner/embedded-postgres';

const dataDir = await mkdtemp(join(tmpdir(), 'gleaner-queue-'));
// As root the server runs as another user, who must be able to pass through.
await chmod(dataDir, 0o711);
function start() {
  return startPostgres({ dataDir, durable: false, log: () => undefined });
}

/** A server of its own, because it is stopped and started. */
const first = await start();
let { stop } = first;
await migratePostgresQueue(first.url);
function ignore() {
  return undefined;
}
const LOG = { info: ignore, warn: ignore, error: ignore };
const queue = await createQueueBackend({ redisUrl: undefined, databaseUrl: first.url, log: LOG });
afterAll(async () => {
  await queue.close();
  await stop();
  await rm(dataDir, { recursive: true, force: true });
});

function delivery(id: string): Delivery {
  return {
    queue: 'batch-http',
    jobId: id,
    payload: { kind: 'request', id, attempt: 1 },
  };
}

it('a connection that ends while a queue is opened fails the delivery, and not the process', async () => {
  let isCut = false;
  const statements = new Set(['P'.charCodeAt(0), 'Q'.charCodeAt(0)]);
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(first.url).port), '127.0.0.1');
    for (const socket of [client, server]) socket.on('error', ignore);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    server.pipe(client);
    client.on('data', (data) => {
      if (isCut && statements.has(data[0] ?? 0)) client.destroy();
      else server.write(data);
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = new URL(first.url);
  address.port = String((proxy.address() as AddressInfo).port);
  const proxied = await createQueueBackend({ redisUrl: undefined, databaseUrl: address.href, log: LOG });
  isCut = true;
  await expect(proxied.deliver([delivery('cut')])).rejects.toThrow();
  isCut = false;
  await proxied.deliver([delivery('whole')]);
  expect(await proxied.counts('batch-http')).toMatchObject({ waiting: 1 });
  await proxied.queue('batch-http').drain();
  await proxied.close();
  proxy.close();
});

it('queues and consumers that were opened while Postgres was away work once it is back', async () => {
  await stop();
  // As Bull Board does: it keeps the queue that it was given.
  const shown = queue.queue('batch-http');
  const taken: string[] = [];
  queue.consume(
    'batch-http',
    (payload) => {
      if (payload.kind === 'request') taken.push(payload.id);
      return Promise.resolve();
    },
    { concurrency: 1 },
  );
  await expect(queue.deliver([delivery('lost')])).rejects.toThrow();
  await expect(shown.getJobCounts('waiting')).rejects.toThrow();
  const second = await start();
  ({ stop } = second);
  expect(second.url).toBe(first.url);
  await queue.deliver([delivery('one')]);
  await queue.deliver([delivery('two'), delivery('three')]);
  await expect.poll(() => taken.toSorted()).toEqual(['one', 'three', 'two']);
  expect(await shown.getJobCounts('waiting')).toEqual({ waiting: 0 });
});
