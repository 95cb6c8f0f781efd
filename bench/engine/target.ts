import { createServer } from 'node:net';
import { buildPage } from './page.ts';

/** A web server that costs as little as one in Node can: one page for every path, keep-alive. Run as a process of its own. */
const body = Buffer.from(buildPage(Number(process.argv[2] ?? 10_000)));
const delayMs = Number(process.argv[3] ?? 0);
const answer = Buffer.concat([
  Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: ${body.length}\r\n\r\n`,
  ),
  body,
]);
const server = createServer((socket) => {
  let rest = '';
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1');
    const requests = rest.split('\r\n\r\n');
    rest = requests.pop() ?? '';
    for (let index = 0; index < requests.length; index += 1) {
      if (delayMs > 0) setTimeout(() => socket.write(answer), delayMs);
      else socket.write(answer);
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`listening on ${address.port}`);
});
