import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Upload } from '@gleaner/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { readParts } from './read-parts.ts';

const UPLOAD: Upload = {
  parts: { file: { description: 'A file.', binary: true, required: true } },
  bodyLimitBytes: 1_000_000,
};
const HEAD = '--X\r\nContent-Disposition: form-data; name="file"; filename="a.ndjson"\r\n\r\n';

/** Serves one request; its upload's fate is what becomes of reading all of its bytes. */
const serveUpload = async () => {
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
  const server = createServer((request, response) => {
    read(request)
      .then(fate.resolve, fate.reject)
      .finally(() => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const send = (body: string): void => {
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n');
    socket.write(body);
  };
  return { socket, send, fate: fate.promise, begun: begun.promise };
};

test('a client that goes away within a part ends the reading of it', async () => {
  const { socket, send, fate, begun } = await serveUpload();
  send(`${HEAD}http://a.test/1\n`);
  await begun;
  const refused = expect(fate).rejects.toThrow(/invalid request/);
  socket.destroy();
  await refused;
});
