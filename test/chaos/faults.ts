import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { RunningProcess } from '../processes/process.ts';
import { hurtByReaders } from './hostile-readers.ts';
import type { World } from './world.ts';

/** One blow: does its harm, and what is needed so that the system could go on. */
export interface Fault {
  name: string;
  strike: (world: World) => Promise<void>;
}

export interface FaultOptions {
  /** How long a process is stopped by SIGSTOP. */
  stopMs: number;
  /** How long a killed process stays away. */
  awayMs: number;
}

function kill(
  name: string,
  pick: (world: World) => RunningProcess | undefined,
  { awayMs }: FaultOptions,
): Fault {
  return {
    name: `kill -9 ${name}`,
    strike: async (world) => {
      const process = pick(world);
      await process?.kill();
      await delay(awayMs);
      await process?.restart();
    },
  };
}

const STEP_CLOCK = join(import.meta.dirname, '../processes/step-clock.mjs');

/** A process starts again with a clock that is wrong until its next start. */
function setClock(
  name: string,
  pick: (world: World) => RunningProcess | undefined,
  minutes: number,
  { awayMs }: FaultOptions,
): Fault {
  return {
    name: `clock of ${name} off by ${minutes} minutes`,
    strike: async (world) => {
      const process = pick(world);
      await process?.kill();
      await delay(awayMs);
      await process?.restart({
        NODE_OPTIONS: `--import ${STEP_CLOCK}`,
        CLOCK_STEP_MS: String(minutes * 60_000),
      });
    },
  };
}

function freeze(name: string, pids: (world: World) => number[], { stopMs }: FaultOptions): Fault {
  return {
    name: `SIGSTOP ${name} for ${stopMs / 1000} s`,
    strike: async (world) => {
      const stopped = pids(world);
      const signal = (kind: NodeJS.Signals): void => {
        for (const pid of stopped) {
          try {
            process.kill(pid, kind);
          } catch {
            // It ended meanwhile.
          }
        }
      };
      signal('SIGSTOP');
      await delay(stopMs);
      signal('SIGCONT');
    },
  };
}

const flushRedis: Fault = {
  name: 'FLUSHALL',
  strike: async ({ redis }) => {
    if (!redis) return;
    const client = new Redis(redis.url, { lazyConnect: true });
    await client.connect();
    await client.flushall();
    client.disconnect();
  },
};

/** The rows of others take the last byte of Postgres's disk. It may end; then it starts again once there is room. */
function fillDisk({ stopMs }: FaultOptions): Fault {
  return {
    name: `full disk for ${stopMs / 1000} s`,
    strike: async ({ disk, postgres }) => {
      if ('missing' in disk) throw new Error(disk.missing);
      const empty = await disk.fill();
      await delay(stopMs);
      await empty();
      await postgres.revive();
    },
  };
}

const PROCESSES: Readonly<Record<string, (world: World) => RunningProcess | undefined>> = {
  'worker 1': ({ system }) => system.workers[0],
  'worker 2': ({ system }) => system.workers[1],
  api: ({ system }) => system.api,
  scheduler: ({ system }) => system.scheduler,
};

/** Whose clock is set wrong, and by how much. */
const CLOCKS: readonly (readonly [process: string, minutes: number])[] = [
  ['worker 1', -90],
  ['worker 2', 90],
  ['scheduler', -30],
  ['scheduler', 30],
];

export function buildFaults(
  { backend, disk }: Pick<World, 'backend' | 'disk'>,
  options: FaultOptions,
): Fault[] {
  return [
    ...Object.entries(PROCESSES).map(([name, pick]) => kill(name, pick, options)),
    ...CLOCKS.flatMap(([name, minutes]) => {
      const pick = PROCESSES[name];
      return pick === undefined ? [] : [setClock(name, pick, minutes, options)];
    }),
    ...Object.entries(PROCESSES).map(([name, pick]) =>
      freeze(name, (world) => [pick(world)?.pid() ?? 0].filter((pid) => pid > 0), options),
    ),
    { name: 'restart Postgres -m immediate', strike: ({ postgres }) => postgres.restart('SIGQUIT') },
    { name: 'kill -9 Postgres', strike: ({ postgres }) => postgres.restart('SIGKILL') },
    freeze('Postgres', ({ postgres }) => postgres.pids(), options),
    { name: 'hostile readers', strike: ({ readers }) => hurtByReaders(readers, options.stopMs) },
    ...('fill' in disk ? [fillDisk(options)] : []),
    ...(backend === 'redis'
      ? [
          flushRedis,
          flushRedis,
          kill('Redis', ({ redis }) => redis, options),
          freeze('Redis', ({ redis }) => (redis ? [redis.pid()] : []), options),
        ]
      : []),
  ];
}
