import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { createTestExternal } from '../databases/testing/test-databases.ts';
import { LANES_OF_ACCOUNT } from './external-databases.ts';
import { readConnectionUrl } from './connection-target.ts';

/** A message of the protocol: its type, its length and its body. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
function sasl(step: number, text: string): Buffer {
  return message('R', Buffer.concat([int32(step), Buffer.from(text, 'latin1')]));
}

const WELCOME = Buffer.concat([message('R', int32(0)), message('Z', Buffer.from('I'))]);
const NO_COLUMNS = Buffer.from([0, 0]);
const EMPTY_ROWS = Buffer.concat(Array.from({ length: 10_000 }, () => message('D', Buffer.from([0, 0]))));

/** What a server sends after each message of its client, and which fault that must give. */
const SERVERS: Record<
  string,
  {
    answer: (socket: Socket, count: number, bytes: Buffer) => void;
    fault: RegExp;
    isSilent?: true;
    sslMode?: 'prefer';
  }
> = {
  'a column name without an end': {
    answer: (socket, count) =>
      void socket.write(
        count === 0 ? WELCOME : message('T', Buffer.concat([Buffer.from([0, 1]), Buffer.from('name')])),
      ),
    fault: /did not respond|closed|lost/,
    isSilent: true,
  },
  'billions of SCRAM rounds': {
    answer: (socket, count, bytes) => {
      const nonce = /r=([^,]+)/.exec(bytes.toString('latin1'))?.[1] ?? '';
      socket.write(
        count === 0 ? sasl(10, 'SCRAM-SHA-256\0\0') : sasl(11, `r=${nonce}x,s=c2FsdA==,i=2147483647`),
      );
    },
    fault: /2147483647 rounds of SCRAM/,
  },
  'authentication without content': {
    answer: (socket) => void socket.write(message('R', Buffer.from([1]))),
    fault: /malformed/,
  },
  'a message of a negative length': {
    answer: (socket) => void socket.write(Buffer.from([82, 255, 255, 255, 255])),
    fault: /negative length/,
  },
  'rows without end': {
    answer: (socket, count) => {
      if (count === 0) {
        socket.write(WELCOME);
        return;
      }
      socket.write(message('T', NO_COLUMNS));
      const flood = (): void => {
        while (!socket.destroyed && socket.write(EMPTY_ROWS)) continue;
        if (!socket.destroyed) socket.once('drain', flood);
      };
      flood();
    },
    fault: /more than 200000 rows/,
  },
  'the answer of a web server': {
    answer: (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    fault: /does not answer as Postgres/,
    sslMode: 'prefer',
  },
  'connections that it closes': { answer: (socket) => void socket.end(), fault: /closes|closed|lost/ },
};

/** Waits for servers that say no more; the other one has time for faults that a busy machine finds late. */
const impatient = createTestExternal(undefined, 3_000);
const patient = createTestExternal(undefined, 120_000);
afterAll(() => Promise.all([impatient.close(), patient.close()]));

it.each(Object.entries(SERVERS))(
  'survives a server that sends %s',
  async (_name, { answer, fault, isSilent, sslMode = 'disable' }) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      let count = 0;
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        answer(socket, count, bytes);
        count += 1;
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 20);
    try {
      const target = readConnectionUrl(`postgres://u:p@127.0.0.1:${port}/d?sslmode=${sslMode}`);
      const external = isSilent === true ? impatient : patient;
      await expect(external.probe('acc_a', target)).rejects.toMatchObject({
        code: 'invalid_request',
        options: { detail: expect.stringMatching(fault) as string },
      });
      expect(connections).toBeLessThanOrEqual(10);
      // The process went on: its event loop ran meanwhile.
      expect(ticks).toBeGreaterThan(0);
    } finally {
      clearInterval(ticking);
      server.close();
    }
  },
);

it('refuses what still waits for a lane when it closes, and starts no thread for it', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const target = readConnectionUrl(`postgres://u:p@127.0.0.1:${port}/d?sslmode=disable`);
  const external = createTestExternal();
  const probes = Promise.allSettled(
    Array.from({ length: 3 * LANES_OF_ACCOUNT }, () => external.probe('acc_a', target)),
  );
  await expect.poll(() => sockets.length).toBe(LANES_OF_ACCOUNT);
  await external.close();
  for (const socket of sockets) socket.destroy();
  const faults = (await probes).map(
    (probe) => probe.status === 'rejected' && String(probe.reason.options.detail),
  );
  expect(faults.filter((fault) => fault && fault.includes('this process ends'))).toHaveLength(
    2 * LANES_OF_ACCOUNT,
  );
  server.close();
});
