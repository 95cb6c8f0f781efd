import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { boundAnswers } from './bound-answers.ts';

const PART = Buffer.alloc(64 * 1024);
const server = createServer((client: Socket) => {
  client.on('error', () => undefined);
  client.on('data', (asked) => {
    if (asked.toString() !== 'flood') {
      client.write(PART);
      return;
    }
    const flood = (): void => {
      while (!client.destroyed && client.write(PART)) continue;
      client.once('drain', flood);
    };
    flood();
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());

async function open(maxBytes: number): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = boundAnswers(connect(port, '127.0.0.1'), maxBytes);
  await once(socket, 'connect');
  return socket.resume();
}

it('closes a connection with an endless answer', async () => {
  const socket = await open(1024 * 1024);
  socket.write('flood');
  await once(socket, 'close');
  expect(socket.bytesRead).toBeGreaterThan(1024 * 1024);
});

it('keeps a connection with many queries, regardless of the total size of their answers', async () => {
  const socket = await open(2 * PART.length);
  for (let query = 0; query < 8; query += 1) {
    socket.write('page');
    await delay(120);
  }
  await expect.poll(() => socket.bytesRead).toBe(8 * PART.length);
  expect(socket.destroyed).toBe(false);
  socket.destroy();
});
