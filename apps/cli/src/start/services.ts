import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '@gleaner/core';
import type { ProcessSpec } from './supervisor/child.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');

/** The processes of one machine: API, scheduler and the configured number of workers. */
export function serviceTable(config: Config, env: () => NodeJS.ProcessEnv): ProcessSpec[] {
  const entry = (app: string): string => join(root, 'apps', app, 'src', 'main.ts');
  const workers = Array.from({ length: config.workers }, (_, index) => ({
    name: index === 0 ? 'worker' : `worker-${index + 1}`,
    entry: entry('worker'),
    // DNS look-ups and large decompressions share libuv's threads; the default is 4.
    env: () => ({ UV_THREADPOOL_SIZE: '32', ...env() }),
  }));
  return [
    { name: 'api', entry: entry('api'), env },
    ...workers,
    { name: 'scheduler', entry: entry('scheduler'), env },
  ].filter((spec) => existsSync(spec.entry));
}
