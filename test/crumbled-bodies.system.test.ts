import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createTestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSite, type Site } from './system/start-site.ts';
import { startSystem, type Client, type System } from './system/start-system.ts';
import { watchMemory } from './system/watch-memory.ts';

/** As Compose gives a process: 1 GB, of which V8 takes half for its heap. */
const MEMORY_MB = 1_024;
const PIECES = 10_000;
const CRUMBS = '1\r\na\r\n'.repeat(PIECES);
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1_000);
const MB = 1_048_576;

let system: System;
let site: Site;
let attacker: Client;
let parser: string;
/** Answers `/crumbs` with a page in pieces of one byte, `/hints` with interim answers without end. */
const hostile = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (request) => {
    if (String(request).startsWith('GET /hints')) return send(socket, HINTS, Infinity);
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n');
    send(socket, CRUMBS, (16 * MB) / PIECES);
  });
});

/** Writes a text again and again, as fast as the other side reads it. */
function send(socket: Socket, text: string, times: number): void {
  let left = times;
  const pump = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(text)) return;
    }
    if (left <= 0) socket.end('0\r\n\r\n');
  };
  socket.on('drain', pump);
  pump();
}

/** Sends a body whose content comes byte by byte. Resolves with the answer, or what came of it. */
async function crumble(path: string, contentType: string, start: string, bytes: number): Promise<string> {
  const { hostname, port } = new URL(system.baseUrl);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  socket.on('error', () => undefined);
  let answer = '';
  socket.on('data', (text: string) => (answer += text));
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\nX-API-Key: ${attacker.apiKey}\r\n` +
      `Content-Type: ${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n${start.length.toString(16)}\r\n${start}\r\n`,
  );
  send(socket, CRUMBS, bytes / PIECES);
  await new Promise((resolve) => void socket.once('close', resolve));
  return answer;
}

function partOf(head: string): string {
  return `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n`;
}

async function makeParser(client: Client): Promise<string> {
  const made = await client.call('POST', '/v1/parsers', { name: 'p', schema: { fields: { title: 'h1' } } });
  return (made.json as { id: string }).id;
}

beforeAll(async () => {
  hostile.listen(0, '127.0.0.1');
  await once(hostile, 'listening');
  site = await startSite();
  const { url } = await createTestDatabase();
  system = await startSystem({
    databaseUrl: url,
    env: { NODE_OPTIONS: `--max-old-space-size=${MEMORY_MB / 2}` },
  });
  attacker = await system.client({ requestsPerMinute: 1_000_000 });
  parser = await makeParser(attacker);
});
afterAll(async () => {
  await system.stop();
  await site.close();
  hostile.close();
});

function scrape(client: Client, id: string, url: string) {
  return client.call('GET', `/v1/scrape/${id}?url=${encodeURIComponent(url)}`);
}

it.each([
  ['in pieces of one byte', '/crumbs', /pieces of a few bytes/],
  ['of interim answers without end', '/hints', /interim answers/],
])('pages %s take neither the memory nor the time of a worker', async (_what, path, detail) => {
  const other = await system.client();
  const own = await makeParser(other);
  const { port } = hostile.address() as AddressInfo;
  const [worker] = system.workers;
  if (!worker) throw new Error('no worker');
  using memory = watchMemory(worker);
  const attacks = Array.from({ length: 20 }, (_, index) =>
    scrape(attacker, parser, `http://127.0.0.1:${port}${path}?${index}`),
  );
  const answers = [];
  for (let index = 0; index < 5; index += 1)
    answers.push(await scrape(other, own, `${site.url}/product?${index}`));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  for (const { status, text } of await Promise.all(attacks)) {
    expect(status).toBe(502);
    expect(text).toMatch(detail);
  }
  expect(memory.peakMb()).toBeLessThan(MEMORY_MB);
});

it('request bodies in pieces of one byte take neither the memory nor the time of an API process', async () => {
  const form = 'multipart/form-data; boundary=x';
  const bodies: [path: string, contentType: string, start: string, bytes: number][] = [
    ['/v1/batches', 'application/json', '"', 60 * MB],
    ['/v1/parsers', 'application/json', '"', MB],
    ['/mcp', 'application/json', '"', 30 * MB],
    [`/v1/parse/${parser}`, form, partOf('name="html"'), 15 * MB],
    ['/v1/batches', form, partOf('name="file"; filename="a"'), 8 * MB],
    ['/v1/batches', form, partOf('name="target"'), MB],
    ['/v1/batches', form, `${partOf('name="target"').slice(0, -2)}Content-Type: text/plain\r\n\r\n`, MB],
  ];
  const other = await system.client();
  using memory = watchMemory(system.api);
  const attacks = bodies.flatMap((body) => Array.from({ length: 4 }, () => crumble(...body)));
  let hasEnded = false;
  const ended = Promise.all(attacks).finally(() => (hasEnded = true));
  const statuses = new Set<number>();
  while (!hasEnded) statuses.add((await other.call('GET', '/v1/credits')).status);
  for (const answer of await ended) expect(answer).not.toMatch(/^HTTP\/1.1 2/);
  expect([...statuses]).toEqual([200]);
  expect(memory.peakMb()).toBeLessThan(MEMORY_MB);
  expect(system.output()).not.toContain('heap out of memory');
});
