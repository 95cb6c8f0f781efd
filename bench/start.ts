import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '@gleaner/embedded-postgres/free-port';
import { demandProc } from './engine/demand-proc.ts';
import { printResult, printTable } from './load/output.ts';
import { rounded } from './load/statistics.ts';

/** Bars for one idle service with its embedded Postgres, and for a start on an existing data folder. */
const IDLE_BAR_MB = 470;
const WARM_START_BAR_S = 3;

interface ProcessMemory {
  name: string;
  /** The proportional set size: shared pages are divided among the processes that share them. */
  mb: number;
}

async function readProc(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}

/** All processes below `pid`, with itself. */
async function treeOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const entry of await readdir('/proc')) {
    const [, parent] = /^PPid:\s*(\d+)$/m.exec(await readProc(Number(entry), 'status')) ?? [];
    if (parent !== undefined) parents.set(Number(entry), Number(parent));
  }
  const tree = [pid];
  for (const member of tree) {
    for (const [child, parent] of parents) if (parent === member) tree.push(child);
  }
  return tree;
}

function nameOf(command: string): string {
  const words = command.split('\0').filter((word) => word !== '');
  const file = words.findLast((word) => /\.(js|mjs|ts)$/.test(word));
  if (/^postgres:|\/postgres$/.test(words[0] ?? '')) return 'postgres';
  if (words[0] === '/bin/sh') return 'watchdogs';
  if (words[0]?.startsWith('npm') === true) return 'npm';
  if (file === undefined) return 'others';
  return basename(file) === 'cli.js' ? 'supervisor' : basename(file).replace(/\.\w+$/, '');
}

/** The memory of a process and of everything below it, summed by name. */
async function memoryOf(pid: number): Promise<ProcessMemory[]> {
  const sums = new Map<string, number>();
  for (const member of await treeOf(pid)) {
    const [, kilobytes = '0'] = /^Pss:\s*(\d+)/m.exec(await readProc(member, 'smaps_rollup')) ?? [];
    const name = nameOf(await readProc(member, 'cmdline'));
    sums.set(name, (sums.get(name) ?? 0) + Number(kilobytes) / 1024);
  }
  return [...sums].map(([name, mb]) => ({ name, mb: rounded(mb, 1) }));
}

async function becomesReady(port: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
    await sleep(20);
  }
}

/** Starts the service on a folder, leaves it idle, and stops it. */
async function startOnce(
  dataDir: string,
  idleMs: number,
): Promise<{ seconds: number; memory: ProcessMemory[] }> {
  const port = await freePort();
  const started = performance.now();
  const child = spawn('npm', ['start'], {
    env: { ...process.env, GLEANER_DATA_DIR: dataDir, PORT: String(port), REDIS_URL: '', DATABASE_URL: '' },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    await becomesReady(port);
    const seconds = rounded((performance.now() - started) / 1000, 2);
    await sleep(idleMs);
    return { seconds, memory: child.pid === undefined ? [] : await memoryOf(child.pid) };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** `npm run -s bench -- start [--starts 3] [--idle 20]`: time until ready, and memory of the idle service. Linux only. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { starts: { type: 'string', default: '3' }, idle: { type: 'string', default: '20' } },
  });
  demandProc();
  const dataDir = await mkdtemp(join(tmpdir(), 'gleaner-bench-start-'));
  try {
    const seconds: number[] = [];
    let memory: ProcessMemory[] = [];
    for (let left = Number(values.starts); left >= 0; left -= 1) {
      const result = await startOnce(dataDir, left === 0 ? Number(values.idle) * 1000 : 0);
      seconds.push(result.seconds);
      memory = result.memory;
    }
    const total = rounded(
      memory.reduce((sum, { mb }) => sum + mb, 0),
      1,
    );
    const [first = 0, ...warm] = seconds;
    const best = Math.min(...warm);
    printTable(
      [...memory, { name: 'total', mb: total }].map(({ name, mb }) => ({ process: name, 'PSS MB': mb })),
    );
    printTable(seconds.map((value, index) => ({ start: index === 0 ? 'first' : 'warm', seconds: value })));
    printResult({
      bench: 'start',
      idleMb: total,
      firstSeconds: first,
      warmSeconds: best,
      verdict: total <= IDLE_BAR_MB && best <= WARM_START_BAR_S ? 'met' : 'missed',
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
