import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createTestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startSystem, type Client, type System } from './system/start-system.ts';
import { until } from './system/until.ts';
import { watchMemory } from './system/watch-memory.ts';

/** As Compose gives a process: 1 GB, of which V8 takes half for its heap. */
const MEMORY_MB = 1_024;
/** As many as an account may have open. */
const EXPORTS = 20;

let system: System;
/** Answers with a text of the length in its address. */
const site = createServer((request, response) => {
  const length = Number(new URL(request.url ?? '', 'http://a').searchParams.get('length'));
  response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${'x'.repeat(length)}</p>`);
});

beforeAll(async () => {
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const { url } = await createTestDatabase();
  system = await startSystem({
    databaseUrl: url,
    env: { NODE_OPTIONS: `--max-old-space-size=${MEMORY_MB / 2}` },
  });
});
afterAll(async () => {
  await system.stop();
  site.close();
});

/** A batch that has ended, with results of this many fields of this length. */
async function makeBatch(client: Client, results: number, fields: number, length: number): Promise<string> {
  const names = Array.from({ length: fields }, (_, index) => [`f${index}`, 'p'] as const);
  const parser = await client.call('POST', '/v1/parsers', {
    name: 'p',
    schema: { fields: Object.fromEntries(names) },
  });
  const { port } = site.address() as AddressInfo;
  const batch = await client.call('POST', '/v1/batches', {
    target: { type: 'parser', parserId: (parser.json as { id: string }).id },
    urls: Array.from({ length: results }, (_, index) => `http://127.0.0.1:${port}/${index}?length=${length}`),
  });
  const { id } = batch.json as { id: string };
  await until(
    'the end of the batch',
    async () => {
      const { json, text } = await client.call('GET', `/v1/batches/${id}`);
      const { status } = json as { status: string };
      if (status === 'failed') throw new Error(text);
      return status === 'succeeded';
    },
    240_000,
  );
  return id;
}

/** Sends a request and reads nothing after the beginning of its answer. */
async function ask(client: Client, path: string): Promise<{ status: number; socket: Socket }> {
  const { hostname, port } = new URL(system.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nX-API-Key: ${client.apiKey}\r\n\r\n`);
  onTestFinished(() => void socket.destroy());
  const [start] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return { status: Number(start.subarray(9, 12)), socket };
}

function askAll(client: Client, path: string) {
  return Promise.all(Array.from({ length: EXPORTS }, () => ask(client, path)));
}

it('exports of which nobody reads do not fill the memory', async () => {
  const clients = await Promise.all([system.client(), system.client()]);
  const batches = await Promise.all(clients.map((client) => makeBatch(client, 100, 1, 60_000)));
  using memory = watchMemory(system.api);
  for (const format of ['ndjson', 'csv', 'parquet']) {
    const answers = await Promise.all(
      clients.map((client, index) => askAll(client, `/v1/batches/${batches[index]}/export?format=${format}`)),
    );
    expect(answers.flat().filter(({ status }) => status !== 200)).toEqual([]);
    expect((await (await system.client()).call('GET', '/v1/credits')).status).toBe(200);
    for (const { socket } of answers.flat()) socket.destroy();
  }
  expect(memory.peakMb()).toBeLessThan(MEMORY_MB);
});

it('results of 20 MB of which nobody reads are refused beyond what the memory holds', async () => {
  const client = await system.client();
  const id = await makeBatch(client, 1, 4, 5_000_000);
  for (const what of ['results', 'export?format=ndjson']) {
    const answers = await askAll(client, `/v1/batches/${id}/${what}`);
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect(count(200)).toBeGreaterThan(0);
    expect(count(200)).toBeLessThan(10);
    expect(count(200) + count(429)).toBe(EXPORTS);
    const other = await system.client();
    expect((await other.call('GET', '/v1/credits')).status).toBe(200);
    // Then there is room again.
    for (const { socket } of answers) socket.destroy();
    await until('room', async () => (await ask(client, `/v1/batches/${id}/${what}`)).status === 200);
  }
  expect(system.output()).not.toContain('heap out of memory');
});
