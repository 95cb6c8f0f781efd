import { createSocket, type RemoteInfo } from 'node:dgram';
import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHostResolver } from './resolve-host.ts';

const ADDRESSES: Readonly<Record<string, readonly number[]>> = {
  'quick.example': [192, 0, 2, 7],
  'db.inner.example': [192, 0, 2, 8],
};

/** Answers A questions about the names above, says that others don't exist, and never answers about `slow`. */
function answer(message: Buffer): Buffer | undefined {
  const labels: string[] = [];
  let at = 12;
  while (message[at] !== 0) {
    const length = message[at] ?? 0;
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const name = labels.join('.');
  if (name.startsWith('slow')) return undefined;
  const address = ADDRESSES[name];
  const isA = address !== undefined && message.readUInt16BE(at + 1) === 1;
  const head = Buffer.from(message.subarray(0, 12));
  head.writeUInt16BE(address === undefined ? 0x81_83 : 0x81_80, 2);
  for (const [place, count] of [1, isA ? 1 : 0, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * place);
  const record = isA ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address] : [];
  return Buffer.concat([head, message.subarray(12, at + 5), Buffer.from(record)]);
}

describe('names are resolved', () => {
  const socket = createSocket('udp4');
  let resolve: ReturnType<typeof createHostResolver>;
  beforeAll(async () => {
    socket.on('message', (message: Buffer, { port, address }: RemoteInfo) => {
      const reply = answer(message);
      if (reply !== undefined) socket.send(reply, port, address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    resolver.setServers([`127.0.0.1:${socket.address().port}`]);
    resolve = createHostResolver(async () => ({
      hosts: new Map([['written.example', ['::1', '127.0.0.9']]]),
      search: ['inner.example'],
      resolver,
    }));
  });
  afterAll(() => socket.close());

  it.each([
    ['by a server', 'quick.example', ['192.0.2.7']],
    ['by a search domain', 'db', ['192.0.2.8']],
    ['by /etc/hosts, IPv4 first', 'written.example', ['127.0.0.9', '::1']],
  ])('%s', async (_how, host, addresses) => {
    expect(await resolve(host)).toEqual(addresses);
  });

  it('or do not exist', async () => {
    await expect(resolve('none.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('while many names wait for a server that never answers, also by getaddrinfo', async () => {
    let ended = 0;
    for (let index = 0; index < 40; index += 1) {
      void resolve(`slow${index}.example`)
        .catch(() => undefined)
        .finally(() => (ended += 1));
    }
    expect(await resolve('quick.example')).toEqual(['192.0.2.7']);
    expect(await lookup('localhost')).toBeDefined();
    expect(ended).toBe(0);
  });
});

it('reads the names of this machine', async () => {
  const hosts = readFileSync('/etc/hosts', 'utf8')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim().split(/\s+/));
  const [address = '', name = ''] = hosts.find((words) => words.length > 1 && !words[0]?.includes('%')) ?? [];
  expect(await createHostResolver()(name.toLowerCase())).toContain(address);
});
