import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { parseEgressAllow } from '@gleaner/fetching/egress';
import { createFetcher } from '@gleaner/fetching';

const CONCURRENCY = 64;

/** The target runs in a thread of its own, so that this process's CPU is the client's. */
const SERVER = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const body = Buffer.from('<!doctype html><title>t</title><p>' + 'x'.repeat(workerData.bytes));
const answer = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\\r\\ncontent-type: text/html; charset=utf-8\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n'), body]);
createServer((socket) => {
  let rest = '';
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1');
    const parts = rest.split('\\r\\n\\r\\n');
    rest = parts.pop();
    for (let i = 0; i < parts.length; i += 1) socket.write(answer);
  });
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });
`;

async function startTarget(bytes: number): Promise<{ port: number; stop: () => Promise<number> }> {
  const worker = new Worker(SERVER, { eval: true, workerData: { bytes } });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  return { port, stop: () => worker.terminate() };
}

interface Round {
  perSecond: number;
  cpuUs: number;
}

async function measure(count: number, one: (index: number) => Promise<void>): Promise<Round> {
  let next = 0;
  const cpu = process.threadCpuUsage();
  const startedAt = performance.now();
  const lane = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await one(next);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  const { user, system } = process.threadCpuUsage(cpu);
  return {
    perSecond: count / ((performance.now() - startedAt) / 1_000),
    cpuUs: (user + system) / count,
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** What the fetch layer adds to a bare `undici.request` loop over one origin, in CPU of the calling thread. */
export async function run(args: string[]): Promise<void> {
  const count = Number(args[0] ?? 20_000);
  const rounds = Number(args[1] ?? 5);
  const target = await startTarget(4_500);
  const url = `http://127.0.0.1:${target.port}/page`;
  const pool = new Pool(`http://127.0.0.1:${target.port}`, { connections: CONCURRENCY });
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const fetcher = await createFetcher(
    { egressAllow: parseEgressAllow(`127.0.0.1:${target.port}`) },
    { log: quiet },
  );
  const { signal } = new AbortController();
  const bare = async (): Promise<void> => {
    const { body } = await pool.request({ path: '/page', method: 'GET' });
    await body.arrayBuffer();
  };
  const ours = async (): Promise<void> => {
    await fetcher.fetchPage({ url, config: {}, deadlineAt: Date.now() + 60_000, signal, accountId: 'acc' });
  };
  await measure(3_000, bare);
  await measure(3_000, ours);
  const bareRounds: Round[] = [];
  const ourRounds: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bareRounds.push(await measure(count, bare));
    ourRounds.push(await measure(count, ours));
  }
  await pool.destroy();
  await fetcher.close();
  await target.stop();
  const bareUs = median(bareRounds.map(({ cpuUs }) => cpuUs));
  const oursUs = median(ourRounds.map(({ cpuUs }) => cpuUs));
  console.log(`                     pages/s   CPU µs/page`);
  console.log(
    `bare undici.request  ${median(bareRounds.map(({ perSecond }) => perSecond))
      .toFixed(0)
      .padStart(7)}   ${bareUs.toFixed(1)}`,
  );
  console.log(
    `fetchPage            ${median(ourRounds.map(({ perSecond }) => perSecond))
      .toFixed(0)
      .padStart(7)}   ${oursUs.toFixed(1)}`,
  );
  console.log(
    JSON.stringify({
      bench: 'fetch',
      count,
      rounds,
      bare_cpu_us: bareUs,
      fetch_page_cpu_us: oursUs,
      added_cpu_us: oursUs - bareUs,
      ratio: oursUs / bareUs,
    }),
  );
}
