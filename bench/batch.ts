import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { awaitBatch, durationMs, startBenchWorld, uploadBatch } from './engine/bench-world.ts';
import { runLoop, startTarget, type Loop } from './engine/child.ts';
import { SCHEMA } from './engine/page.ts';
import { printResult, printTable } from './load/output.ts';
import { median, rounded } from './load/statistics.ts';

const CONCURRENCY = 64;

interface Row {
  what: string;
  'page KB': number;
  'pages/s': number;
  'wall ×': number;
  'CPU µs/page': number;
  'beyond (a) µs': number | '';
  parts: string;
}

const perPage = (ms: number, count: number): number => rounded((ms * 1_000) / count, 1);

const medianLoop = (loops: readonly Loop[]): Loop => ({
  wallMs: median(loops.map((loop) => loop.wallMs)),
  cpuMs: median(loops.map((loop) => loop.cpuMs)),
});

interface Result {
  kb: number;
  backend: string;
  pagesPerSecond: number;
  wallRatio: number;
  beyondUs: number;
  cpuUs: number;
  parts: Record<string, number>;
}

interface Ours extends Loop {
  parts: Record<string, number>;
}

/** Batches on one backend, in turns with the bare loop, so that both meet the same machine. */
const measure = async (
  backend: 'redis' | 'postgres',
  input: { bytes: number; count: number; rounds: number },
): Promise<{ bare: Loop; ours: Ours }> => {
  const { bytes, count, rounds } = input;
  const target = await startTarget(bytes);
  const world = await startBenchWorld(backend);
  try {
    const client = await world.system.client({ credits: 100_000_000, concurrency: CONCURRENCY });
    const parser = await client.call('POST', '/v1/parsers', { name: 'bench', schema: SCHEMA });
    const { id } = parser.json as { id: string };
    const urls = (total: number): string[] =>
      Array.from({ length: total }, (_, index) => `${target.origin}/p/${index}`);
    await awaitBatch(client, (await uploadBatch(client, id, urls(1_000))).id);
    const bare: Loop[] = [];
    const ours: Ours[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bare.push(await runLoop('bare-loop.ts', [target.origin, String(count), String(CONCURRENCY)]));
      const before = world.cpu();
      const batch = await awaitBatch(client, (await uploadBatch(client, id, urls(count))).id, 250);
      const after = world.cpu();
      if (batch.counts.succeeded !== count) throw new Error(JSON.stringify(batch.counts));
      const parts = {
        worker: after.worker - before.worker,
        postgres: after.postgres - before.postgres,
        redis: after.redis - before.redis,
      };
      ours.push({
        wallMs: durationMs(batch),
        cpuMs: parts.worker + parts.postgres + parts.redis,
        parts: Object.fromEntries(Object.entries(parts).map(([name, ms]) => [name, perPage(ms, count)])),
      });
    }
    const middle = medianLoop(ours);
    return {
      bare: medianLoop(bare),
      ours: { ...middle, parts: ours.find((one) => one.cpuMs === middle.cpuMs)?.parts ?? {} },
    };
  } finally {
    await world.stop();
    target.stop();
  }
};

/** The Python that has Scrapy: the first one of the path, or Debian's. */
const pythonWithScrapy = (): string | undefined =>
  ['python3', '/usr/bin/python3'].find(
    (python) => spawnSync(python, ['-c', 'import scrapy'], { stdio: 'ignore' }).status === 0,
  );

interface Peer {
  name: string;
  run: (args: string[]) => Promise<Loop>;
}

const findPeers = (): Peer[] => {
  const peers: Peer[] = [{ name: 'CheerioCrawler', run: (args) => runLoop('crawlee-loop.ts', args) }];
  const python = pythonWithScrapy();
  if (python === undefined) process.stderr.write('Scrapy is not installed on this machine: left out\n');
  else peers.push({ name: 'Scrapy', run: (args) => runLoop('scrapy-loop.py', args, python) });
  return peers;
};

/** A batch of one target against a bare loop, Crawlee and Scrapy, on the same pages in the same run. */
export const run = async (args: string[]): Promise<void> => {
  const { values } = parseArgs({
    args,
    options: {
      count: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '3' },
      bytes: { type: 'string', default: '10000,100000' },
      backends: { type: 'string', default: 'redis,postgres' },
      peers: { type: 'string', default: 'yes' },
    },
  });
  const rows: Row[] = [];
  const results: Result[] = [];
  const peerResults: Record<string, unknown>[] = [];
  const peers = values.peers === 'yes' ? findPeers() : [];
  for (const bytes of values.bytes.split(',').map(Number)) {
    const count = bytes > 50_000 ? Math.ceil(Number(values.count) / 4) : Number(values.count);
    const kb = bytes / 1_000;
    let barePagesPerSecond = 0;
    for (const backend of values.backends.split(',') as ('redis' | 'postgres')[]) {
      const { bare, ours } = await measure(backend, { bytes, count, rounds: Number(values.rounds) });
      const beyond = perPage(ours.cpuMs - bare.cpuMs, count);
      const pagesPerSecond = Math.round((count / ours.wallMs) * 1_000);
      barePagesPerSecond = Math.round((count / bare.wallMs) * 1_000);
      const wallRatio = rounded(ours.wallMs / bare.wallMs, 2);
      rows.push(
        {
          what: '(a) bare loop',
          'page KB': kb,
          'pages/s': barePagesPerSecond,
          'wall ×': 1,
          'CPU µs/page': perPage(bare.cpuMs, count),
          'beyond (a) µs': 0,
          parts: '',
        },
        {
          what: `batch on ${backend}`,
          'page KB': kb,
          'pages/s': pagesPerSecond,
          'wall ×': wallRatio,
          'CPU µs/page': perPage(ours.cpuMs, count),
          'beyond (a) µs': beyond,
          parts: JSON.stringify(ours.parts),
        },
      );
      results.push({
        kb,
        backend,
        pagesPerSecond,
        wallRatio,
        beyondUs: beyond,
        cpuUs: perPage(ours.cpuMs, count),
        parts: ours.parts,
      });
    }
    if (peers.length === 0) continue;
    const ours = results.filter((result) => result.kb === kb).map((result) => result.pagesPerSecond);
    const target = await startTarget(bytes);
    try {
      const pages = bytes > 50_000 ? 500 : 2_000;
      for (const peer of peers) {
        const loop = await peer.run([target.origin, String(pages), String(CONCURRENCY)]);
        const pagesPerSecond = Math.round((pages / loop.wallMs) * 1_000);
        rows.push({
          what: peer.name,
          'page KB': kb,
          'pages/s': pagesPerSecond,
          'wall ×': rounded(barePagesPerSecond / pagesPerSecond, 2),
          'CPU µs/page': perPage(loop.cpuMs, pages),
          'beyond (a) µs': '',
          parts: '',
        });
        peerResults.push({
          kb,
          peer: peer.name,
          pagesPerSecond,
          oursTimesFaster: ours.map((rate) => rounded(rate / pagesPerSecond, 1)),
        });
      }
    } finally {
      target.stop();
    }
  }
  printTable(rows.map((row) => ({ ...row })));
  printResult({
    bench: 'batch',
    bars: { wall10: 1.25, wall100: 1.1, beyondUs: 60, timesPeer: 4 },
    results,
    peers: peerResults,
  });
};
