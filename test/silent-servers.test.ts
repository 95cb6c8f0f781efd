import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createExternalDatabases } from '@gleaner/core';
import { createDatabase } from '@gleaner/db';
import { createGuardedFetch } from '@gleaner/fetching/guarded-fetch';
import { inspectRedis } from '@gleaner/queue';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createIssuerKeys } from '../apps/api/src/mcp/oauth/issuer-keys.ts';
import { createS3Contents } from '../packages/core/src/storage/blobs/s3-contents.ts';
import { readConnectionUrl } from '../packages/core/src/storage/external/connection-target.ts';
import { createHostResolver } from '../packages/fetching/src/egress/resolve-host.ts';

/** Takes connections and datagrams, and never answers. */
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined).resume();
});
const datagrams = createSocket('udp4');
let port = 0;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
  datagrams.bind(port, '127.0.0.1');
  await once(datagrams, 'listening');
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
  datagrams.close();
});

/** What the service waits for, as docs/operate/waits.md names it, with a short limit. */
const WAITS: Record<string, () => Promise<unknown>> = {
  'Postgres, to connect': async () => {
    const db = createDatabase(`postgres://a:b@127.0.0.1:${port}/c`, { patienceMs: 200 });
    await db.sql`SELECT 1`.finally(() => db.close());
  },
  'Redis, at the start': () => inspectRedis(`redis://127.0.0.1:${port}`),
  'A database of an account': async () => {
    const external = createExternalDatabases({
      secretKey: undefined,
      resolveEgress: (host) => Promise.resolve({ address: host, port }),
      timeoutMs: 200,
    });
    await external
      .probe('acc_a', readConnectionUrl(`postgres://a:b@127.0.0.1:${port}/c`))
      .finally(() => external.close());
  },
  'The store of kept pages (S3)': () =>
    createS3Contents({
      url: `http://127.0.0.1:${port}/bucket`,
      region: 'a',
      accessKey: 'a',
      secretKey: 'b',
      timeoutMs: 200,
    }).read('acc_a', 'aa', null),
  'The OAuth issuer': async () => {
    const issuer = `http://127.0.0.1:${port}`;
    const fetch = createGuardedFetch('', [issuer]);
    const keys = createIssuerKeys({
      issuer,
      jwksUrl: undefined,
      fetch,
      onFault: () => undefined,
      timeoutMs: 200,
    });
    await keys({ alg: 'RS256', kid: 'a' }, { payload: '', signature: '' });
  },
  DNS: async () => {
    const resolver = new Resolver({ timeout: 60_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${port}`]);
    const read = () => Promise.resolve({ hosts: new Map<string, string[]>(), search: [], resolver });
    await createHostResolver(read, 200)('slow.example').finally(() => resolver.cancel());
  },
};

it.each(Object.entries(WAITS))('a wait that nothing answers ends: %s', async (_name, wait) => {
  await expect(wait()).rejects.toThrow();
});

it('the table of waits names each of them, and each of its rows a test', () => {
  const text = readFileSync(new URL('../docs/operate/waits.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| What '));
  expect(rows.filter((row) => !/\]\(\S+\.test\.ts\) \|$/.test(row))).toEqual([]);
  const here = rows
    .filter((row) => row.includes('silent-servers.test.ts'))
    .map((row) => row.split(' | ')[0]?.slice(2));
  expect(here).toEqual(Object.keys(WAITS));
});
