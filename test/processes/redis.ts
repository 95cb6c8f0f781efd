import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { existsSync } from 'node:fs';
import { freePort } from '@gleaner/embedded-postgres/free-port';
import { startProcess, type RunningProcess } from './process.ts';

export interface TestRedis extends RunningProcess {
  url: string;
}

export interface RedisOptions {
  databases?: number;
  /** Keeps its data over a restart, as in docker-compose.yml. */
  appendOnly?: boolean;
  /** Bytes; beyond it every write fails (`noeviction`). */
  maxMemoryBytes?: number;
  /** Default `noeviction`, as in docker-compose.yml. */
  evictionPolicy?: string;
}

/** A Redis of one's own, empty, on a free port of the loopback; or why there is none. */
export async function startRedis(options: RedisOptions = {}): Promise<TestRedis | { missing: string }> {
  const program = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'redis-server'))
    .find((path) => existsSync(path));
  if (program === undefined) {
    return { missing: 'this machine has no redis-server (apt-get install redis-server)' };
  }
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-redis-'));
  const port = await freePort();
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    save: '',
    appendonly: options.appendOnly === true ? 'yes' : 'no',
    databases: String(options.databases ?? 16),
    maxmemory: String(options.maxMemoryBytes ?? 0),
    'maxmemory-policy': options.evictionPolicy ?? 'noeviction',
  };
  const child = await startProcess({
    name: 'redis',
    command: program,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    env: { PATH: process.env.PATH },
    isReady: (output) => output.includes('Ready to accept connections'),
  });
  const stop = async (): Promise<void> => {
    await child.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...child, url: `redis://127.0.0.1:${port}`, stop };
}
