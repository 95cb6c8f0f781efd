import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Upload } from '@gleaner/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { readParts } from './read-parts.ts';

const UPLOAD: Upload = {
  parts: { file: { description: 'A file.', binary: true, required: true } },
  bodyLimitBytes: 1_000_000,
};
const HEAD = '--X\r\nContent-Disposition: form-data; name="file"; filename="a.ndjson"\r\n\r\n';

async function serve(answer: (request: IncomingMessage) => Promise<unknown>) {
  const server = createServer((request, response) => {
    void answer(request).finally(() => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const send = (body: string, length = 100_000): void => {
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`);
    socket.write(body);
  };
  return { socket, send };
}

/** Serves one request, and returns the result of reading all bytes of its upload. */
async function serveUpload() {
  const fate = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const read = async (request: Parameters<typeof readParts>[0]): Promise<string> => {
    let text = '';
    for await (const part of readParts(request, 'X', UPLOAD)) {
      if (part.kind !== 'file') continue;
      for await (const chunk of part.stream) {
        text += Buffer.from(chunk).toString();
        begun.resolve();
      }
    }
    return text;
  };
  const { socket, send } = await serve((request) => read(request).then(fate.resolve, fate.reject));
  return { socket, send, fate: fate.promise, begun: begun.promise };
}

test('reading a part ends when the client disconnects', async () => {
  const { socket, send, fate, begun } = await serveUpload();
  send(`${HEAD}http://a.test/1\n`);
  await begun;
  const failure = fate.then(
    () => undefined,
    (error: unknown) => error,
  );
  socket.destroy();
  expect(String(await failure)).toMatch(/invalid request/);
});

test('reading ends when the client disconnected before it began', async () => {
  const left = Promise.withResolvers<IncomingMessage>();
  const { socket, send } = await serve(async (request) => {
    request.once('close', () => left.resolve(request));
    socket.destroy();
    await left.promise;
  });
  send(`${HEAD}http://a.test/1\n`);
  const parts = readParts(await left.promise, 'X', UPLOAD);
  await expect(parts.next()).rejects.toThrow(/invalid request/);
});

test('parts without headers don’t block the parts after them', async () => {
  const body = '--X\r\n\r\na\r\n--X\r\nContent-Disposition: form-data; name="b"\r\n\r\nc\r\n--X--\r\n';
  const fate = Promise.withResolvers<unknown>();
  const { send } = await serve(async (request) => {
    for await (const part of readParts(request, 'X', UPLOAD)) if (part.name === 'b') fate.resolve(part);
  });
  send(body, body.length);
  expect(await fate.promise).toMatchObject({ kind: 'field', name: 'b', value: 'c' });
});

test('a flood of small parts is not read while one of them is in use', async () => {
  const flood = '--X\r\nA: b\r\n\r\n\r\n'.repeat(200_000);
  const arrived = Promise.withResolvers<IncomingMessage>();
  const refused = Promise.withResolvers<unknown>();
  const goOn = Promise.withResolvers<void>();
  const { socket, send } = await serve(async (request) => {
    socket.on('error', () => undefined);
    const parts = readParts(request, 'X', UPLOAD);
    await parts.next();
    arrived.resolve(request);
    await goOn.promise;
    await parts.next().catch(refused.resolve);
  });
  send(`${HEAD}http://a.test/1\r\n`, flood.length + HEAD.length);
  const request = await arrived.promise;
  socket.write(flood);
  await expect.poll(() => request.readableFlowing, { interval: 5 }).toBe(false);
  expect(request.socket.bytesRead).toBeLessThan(flood.length / 2);
  goOn.resolve();
  expect(await refused.promise).toMatchObject({ options: { detail: 'too many parts' } });
});
