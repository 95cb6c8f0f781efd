import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { readBatch, startBenchWorld, type BatchRecord, type BenchWorld } from './engine/bench-world.ts';
import { demandProc } from './engine/demand-proc.ts';
import { memoryOf } from './engine/memory-of.ts';
import { startTarget } from './engine/child.ts';
import { SCHEMA } from './engine/page.ts';
import { printResult, printTable } from './load/output.ts';
import { percentile, rounded } from './load/statistics.ts';

const BOUNDARY = 'gleaner-bench-boundary';
const MIB = 1024 * 1024;

function part(name: string, value: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

/** Sends a form whose file is made while it is sent: the client's memory stays flat as well. */
async function upload(
  world: BenchWorld,
  input: { apiKey: string; parserId: string; origin: string; count: number },
): Promise<{ status: number; text: string; elapsedMs: number }> {
  const request = httpRequest(`${world.system.baseUrl}/v1/batches`, {
    method: 'POST',
    headers: { 'x-api-key': input.apiKey, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  const startedAt = performance.now();
  request.write(
    `${part('target', JSON.stringify({ type: 'parser', parserId: input.parserId }))}--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="urls.ndjson"\r\nContent-Type: application/x-ndjson\r\n\r\n`,
  );
  let lines = '';
  for (let index = 0; index < input.count; index += 1) {
    lines += `{"url":"${input.origin}/catalogue/products/${index}?ref=list"}\n`;
    if (lines.length < 64 * 1024) continue;
    if (!request.write(lines)) await once(request, 'drain');
    lines = '';
  }
  request.end(`${lines}\r\n--${BOUNDARY}--\r\n`);
  const [response] = await answered;
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, text, elapsedMs: performance.now() - startedAt };
}

async function redisBytes(redis: Redis | undefined): Promise<number> {
  return redis ? Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1] ?? 0) : 0;
}

/** One batch of a million inputs: how fast it is taken in, and what it costs in memory and disk while it waits and runs. */
export async function run(args: string[]): Promise<void> {
  demandProc();
  const { values } = parseArgs({
    args,
    options: {
      count: { type: 'string', default: '1000000' },
      backend: { type: 'string', default: 'redis' },
      'run-seconds': { type: 'string', default: '10' },
    },
  });
  const count = Number(values.count);
  const target = await startTarget(2_000);
  const world = await startBenchWorld(values.backend === 'postgres' ? 'postgres' : 'redis', {
    env: { GLEANER_EXTRACTION_THREADS: '1' },
  });
  const redis = world.redisUrl === undefined ? undefined : new Redis(world.redisUrl);
  try {
    const client = await world.system.client({
      credits: 100_000_000,
      concurrency: 64,
      pendingLimit: 5_000_000,
    });
    const parser = await client.call('POST', '/v1/parsers', { name: 'bench', schema: SCHEMA });
    const parserId = (parser.json as { id: string }).id;
    const send = (size: number) =>
      upload(world, { apiKey: client.apiKey, parserId, origin: target.origin, count: size });
    const cancel = (id: string) => client.call('POST', `/v1/batches/${id}/cancel`);
    // Warm code: the first request of a process compiles it.
    const warm = JSON.parse((await send(20_000)).text) as BatchRecord;
    await cancel(warm.id);

    const apiPid = world.system.api.pid();
    const restingBytes = memoryOf(apiPid);
    const restingRedis = await redisBytes(redis);
    const [sizeBefore] = await world.db.sql<
      { bytes: string }[]
    >`SELECT pg_database_size(current_database())::text AS bytes`;
    let peakBytes = 0;
    const watch = setInterval(() => {
      peakBytes = Math.max(peakBytes, memoryOf(apiPid));
    }, 20);
    const sent = await send(count);
    clearInterval(watch);
    if (sent.status !== 202) throw new Error(`${sent.status}: ${sent.text}`);
    const batch = JSON.parse(sent.text) as BatchRecord;
    const [taskBytes] = await world.db.sql<{ bytes: string }[]>`
      SELECT sum(pg_total_relation_size(inhrelid))::text AS bytes FROM pg_inherits WHERE inhparent = 'gleaner.tasks'::regclass`;

    // While it runs: reads of the batch, and Redis.
    const readMs: number[] = [];
    let peakRedis = 0;
    const until = performance.now() + Number(values['run-seconds']) * 1_000;
    while (performance.now() < until) {
      const askedAt = performance.now();
      await readBatch(client, batch.id);
      readMs.push(performance.now() - askedAt);
      peakRedis = Math.max(peakRedis, (await redisBytes(redis)) - restingRedis);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const running = await readBatch(client, batch.id);
    const cancelledAt = performance.now();
    const cancelled = (await cancel(batch.id)).json as BatchRecord;
    const cancelMs = performance.now() - cancelledAt;
    const result = {
      inputs: count,
      'submit s': rounded(sent.elapsedMs / 1_000, 2),
      'API rise MiB': rounded((peakBytes - restingBytes) / MIB, 1),
      'Redis rise MiB': rounded(peakRedis / MIB, 2),
      'Postgres bytes/input': rounded(Number(taskBytes?.bytes ?? 0) / (count + 20_000), 1),
      'GET median ms': rounded(percentile(readMs, 0.5), 1),
      'GET p99 ms': rounded(percentile(readMs, 0.99), 1),
      'done before cancel': running.counts.succeeded,
      'cancel ms': rounded(cancelMs, 1),
    };
    printTable([result]);
    printResult({
      bench: 'submit',
      backend: world.backend,
      bars: { submitS: 15, apiRiseMiB: 100, redisRiseMiB: 2, bytesPerInput: 200, getMs: 20 },
      databaseBytesBefore: Number(sizeBefore?.bytes ?? 0),
      cancelled: cancelled.counts,
      ...result,
    });
  } finally {
    redis?.disconnect();
    await world.stop();
    target.stop();
  }
}
