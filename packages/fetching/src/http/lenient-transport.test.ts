import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFetcher, type TestFetcher } from '../testing/test-fetcher.ts';

const BODY = '<!doctype html><h1>Here</h1>';
const LENGTH = `Content-Length: ${BODY.length}`;
const TYPE = 'Content-Type: text/html';
const CHUNKS = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
const END = 'Connection: close\r\n\r\n';

/** The answer by its path. */
const ANSWERS: Readonly<Record<string, string>> = {
  '/feeds': `HTTP/1.1 200 OK\n${TYPE}\n${LENGTH}\nConnection: close\n\n${BODY}`,
  '/folded': `HTTP/1.1 200 OK\r\nX-Note: a\r\n b\r\n${TYPE}\r\n${LENGTH}\r\n${END}${BODY}`,
  '/control': `HTTP/1.1 200 OK\r\nX-Note: a\u0001b\r\n${TYPE}\r\n${LENGTH}\r\n${END}${BODY}`,
  '/both': `HTTP/1.1 200 OK\r\n${TYPE}\r\n${LENGTH}\r\nTransfer-Encoding: chunked\r\n${END}${CHUNKS}`,
  '/twice': `HTTP/1.1 200 OK\r\n${TYPE}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n${END}${CHUNKS}`,
  '/reasonless': `HTTP/1.1 200\r\n${TYPE}\r\n${LENGTH}\r\n${END}${BODY}`,
  '/old': `HTTP/1.0 200 OK\r\n${TYPE}\r\n\r\n${BODY}`,
  '/kept': `HTTP/1.1 200 OK\n${TYPE}\n${LENGTH}\n\n${BODY}HTTP/1.1 200 OK\r\n${TYPE}\r\n${LENGTH}\r\n\r\n${BODY}`,
};

let server: Server;
let client: TestFetcher;
let origin: string;
const sockets: { wasClosed: boolean }[] = [];

beforeAll(async () => {
  server = createServer((socket) => {
    const seen = { wasClosed: false };
    sockets.push(seen);
    socket.on('error', () => undefined);
    socket.on('close', () => (seen.wasClosed = true));
    socket.on('data', (data) => {
      const path = data.toString('latin1').split(' ', 2)[1] ?? '';
      const answer = ANSWERS[path] ?? 'Hello\r\n\r\n';
      socket.write(Buffer.from(answer, 'latin1'));
      if (path !== '/kept') socket.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  origin = `http://${host}`;
  client = await createTestFetcher(host);
});

afterAll(async () => {
  await client.fetcher.close();
  server.close();
});

describe('answers with faults of HTTP', () => {
  it.each(Object.keys(ANSWERS))('are read as curl reads them: %s', async (path) => {
    const page = await client.fetch(origin + path, { retries: 0 });
    expect(Buffer.from(page.body).toString()).toBe(BODY);
    expect(page.contentType).toBe('text/html');
  });

  it('leave no connection that could be used again', async () => {
    sockets.length = 0;
    await client.fetch(`${origin}/kept`, { retries: 0 });
    await expect.poll(() => sockets.every(({ wasClosed }) => wasClosed), { timeout: 100_000 }).toBe(true);
    expect(sockets).toHaveLength(2);
  });

  it('are named when they are no HTTP at all, and not asked for again', async () => {
    await expect(client.fetch(`${origin}/hello`)).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      options: { detail: expect.stringMatching(/the target's answer is not HTTP/) },
    });
  });
});
