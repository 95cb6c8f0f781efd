import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  answerMalformed,
  answerUnexpected,
  dropRestOfBody,
  endStalledBodies,
  endUnreadAnswers,
  limitPipelined,
  refuseUpgrade,
} from './raw-connections.ts';

const SILENCE_MS = 60_000;
const HASTY_MS = 150;
const MOST_PIPELINED = 8;

/** The looks at connections come when a test says so: no time that the machine takes counts. */
vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
function pass(ms: number): void {
  vi.advanceTimersByTime(ms);
}

const app = Fastify({ clientErrorHandler: answerMalformed });
app.server.on('checkExpectation', answerUnexpected);
app.addHook('onRequest', limitPipelined(MOST_PIPELINED));
app.addHook('onRequest', refuseUpgrade);
app.addHook('onRequest', endStalledBodies(SILENCE_MS));
app.addHook('onSend', endUnreadAnswers(SILENCE_MS));
app.addHook('onSend', dropRestOfBody(60_000));
/** Requests that got as far as a route, or to the answer that there is none. */
let handled = 0;
app.addHook('preHandler', async () => {
  handled += 1;
});
app.get('/large', () => 'x'.repeat(64 * 1024 * 1024));
app.get('/slow', () =>
  Readable.from(
    (async function* () {
      yield 'first ';
      await delay(10);
      pass(4 * SILENCE_MS);
      yield 'last';
    })(),
    { objectMode: false },
  ),
);
app.post('/', async (request) => {
  pass(2 * SILENCE_MS);
  return { got: request.body };
});

/** Reads its body late, like an upload that waits for another upload with the same key. */
app.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null));
app.post('/late', async ({ raw }) => {
  await delay(10);
  pass(4 * SILENCE_MS);
  return { got: await text(raw) };
});

app.register(async (hasty) => {
  hasty.addHook('onSend', dropRestOfBody(HASTY_MS));
  hasty.post('/hasty', () => '');
});

let port: number;

beforeAll(async () => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = app.server.address() as AddressInfo);
});
afterAll(async () => {
  await app.close();
  vi.useRealTimers();
});

/** Everything that the server sends until it closes the connection. */
async function exchange(...parts: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  for (const part of parts) socket.write(part);
  return text(socket);
}

function head(length: number, more = '', path = '/'): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`;
}

test('a connection may send a few requests ahead, and is closed when it sends many', async () => {
  const ahead = (count: number): string =>
    `${'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count - 1)}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  const answersTo = async (sent: string): Promise<number> =>
    (await exchange(sent)).split('HTTP/1.1 404').length - 1;
  expect(await answersTo(ahead(MOST_PIPELINED))).toBe(MOST_PIPELINED);
  expect(await answersTo(ahead(500))).toBeLessThanOrEqual(MOST_PIPELINED);
  expect(handled).toBeLessThanOrEqual(2 * MOST_PIPELINED);
});

test.each([
  ['what is no HTTP', 'GET / HTTP/1.1\r\nno header\r\n\r\n', 'the request is not valid HTTP'],
  [
    'headers that are too large',
    `GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`,
    'the headers and the path are larger',
  ],
])('%s gets an error of the usual shape', async (_name, sent, detail) => {
  const [status, ...rest] = (await exchange(sent)).split('\r\n');
  expect(status).toBe('HTTP/1.1 400 Bad Request');
  expect(rest.join('\n')).toMatch(/^X-Request-Id: \w+$/m);
  expect(JSON.parse(rest.at(-1) ?? '')).toMatchObject({
    error: 'invalid request',
    detail: expect.stringContaining(detail),
  });
});

test('a body that stalls ends its connection', async () => {
  const answer = exchange(head(100), '{"a": ');
  await expect.poll(openConnections).toBe(1);
  await endByLooks();
  expect(await answer).toBe('');
});

test('a complete body has no time limit while the response is prepared', async () => {
  const answer = await exchange(head(8, 'Connection: close\r\n'), '{"a": 1}');
  expect(answer).toContain('{"got":{"a":1}}');
});

test('a body that the server does not read yet does not count as stalled', async () => {
  const sent = [
    'POST /late HTTP/1.1',
    'Host: a',
    'Content-Type: application/octet-stream',
    'Content-Length: 3',
  ];
  expect(await exchange(`${sent.join('\r\n')}\r\nConnection: close\r\n\r\nabc`)).toContain('{"got":"abc"}');
});

test('a client that still sends a body gets the response that refuses it, and its next one', async () => {
  const size = 32 * 1024 * 1024;
  const next = 'GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const answer = await exchange(head(size), 'x'.repeat(size), next);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toContain('first ');
});

test('a refused body that never ends loses its connection', async () => {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume().write(head(32 * 1024 * 1024, '', '/hasty'));
  const answered = once(socket, 'data');
  while (!socket.closed) {
    socket.write('x');
    await Promise.race([closed, delay(HASTY_MS / 10)]);
  }
  await answered;
  expect(socket.bytesRead).toBeGreaterThan(0);
});

function openConnections(): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** Looks until no connection is left. */
async function endByLooks(): Promise<void> {
  await expect
    .poll(() => {
      pass(SILENCE_MS / 4);
      return openConnections();
    })
    .toBe(0);
}

test('a response that the client does not read ends its connection', async () => {
  await expect.poll(openConnections).toBe(0);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined).pause();
  socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(openConnections).toBe(1);
  await endByLooks();
  socket.destroy();
});

test('a response that the client reads has no time limit', async () => {
  const answer = await exchange('GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(answer).toContain('first ');
  expect(answer).toContain('last');
});

test('a client that takes a little in each silence gets all of a large response', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  let read = 0;
  let looks = 0;
  for await (const piece of socket) {
    read += (piece as Buffer).length;
    // Less than a silence for each 8 MiB, several for the whole; by then the kernels have told of them.
    if (read < (looks + 1) * 8 * 1024 * 1024) continue;
    looks += 1;
    pass(SILENCE_MS / 2);
  }
  expect(looks).toBeGreaterThanOrEqual(8);
  expect(read).toBeGreaterThan(64 * 1024 * 1024);
});

test('an Expect header that nothing fulfils is refused in the shape of every error, with an id', async () => {
  const answer = await exchange('GET /slow HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 417 /);
  expect(answer).toMatch(/x-request-id: req_/);
  expect(answer).toContain('"error":"expectation failed"');
});

test('a connection ends after a request to upgrade it, so that nothing waits on it', async () => {
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  const answer = await exchange(`GET /slow HTTP/1.1\r\nHost: a\r\n${upgrade}\r\n`);
  expect(answer).toMatch(/connection: close/i);
  expect(answer).toContain('first last'.split(' ')[0] ?? '');
});

test('the rest of a body that comes in pieces of a byte is not read for long', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  socket.write('POST /none HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  const pump = (): void => {
    while (!socket.destroyed && socket.write('1\r\na\r\n'.repeat(1_000)));
  };
  socket.on('drain', pump);
  pump();
  await new Promise((resolve) => void socket.once('close', resolve));
  expect(socket.bytesWritten).toBeLessThan(32 * 1024 * 1024);
});
