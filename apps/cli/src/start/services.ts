import { existsSync } from 'node:fs';
import type { Config } from '@gleaner/core/config';
import { entryFile } from './entry-file.ts';
import type { ProcessSpec } from './supervisor/child.ts';

/** The processes of one machine: API, scheduler and the configured number of workers. */
export function serviceTable(config: Config, env: () => NodeJS.ProcessEnv): ProcessSpec[] {
  const workers = Array.from({ length: config.workers }, (_, index) => ({
    name: index === 0 ? 'worker' : `worker-${index + 1}`,
    entry: entryFile('worker'),
    // DNS look-ups and large decompressions share libuv's threads; the default is 4.
    env: () => ({ UV_THREADPOOL_SIZE: '32', ...env() }),
  }));
  return [
    { name: 'api', entry: entryFile('api'), env },
    ...workers,
    { name: 'scheduler', entry: entryFile('scheduler'), env },
  ].filter((spec) => existsSync(spec.entry));
}
