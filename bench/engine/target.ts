import { createServer } from 'node:net';
import { buildPage } from './page.ts';

/**
 * A web server that costs as little as one in Node can: one page for every path, keep-alive. Run as a process of its own.
 * With `distinct` as third argument, each answer has a number of its own in its SKU.
 */
const body = Buffer.from(buildPage(Number(process.argv[2] ?? 10_000)));
const delayMs = Number(process.argv[3] ?? 0);
const isDistinct = process.argv[4] === 'distinct';
const answer = Buffer.concat([
  Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: ${body.length}\r\n\r\n`,
  ),
  body,
]);
const skuAt = answer.indexOf('WH-2000');
let answered = 1_000_000;
function nextAnswer(): Buffer {
  if (!isDistinct) return answer;
  const copy = Buffer.from(answer);
  answered += 1;
  copy.write(String(answered), skuAt, 'latin1');
  return copy;
}
const server = createServer((socket) => {
  let rest = '';
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1');
    const requests = rest.split('\r\n\r\n');
    rest = requests.pop() ?? '';
    for (let index = 0; index < requests.length; index += 1) {
      if (delayMs > 0) setTimeout(() => socket.write(nextAnswer()), delayMs);
      else socket.write(nextAnswer());
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`listening on ${address.port}`);
});
