import { dirname, join } from 'node:path';

/** The source file of each process that `gleaner start` runs, from the project's root. */
export const PROCESS_ENTRIES = {
  api: 'apps/api/src/main.ts',
  worker: 'apps/worker/src/main.ts',
  scheduler: 'apps/scheduler/src/main.ts',
  prepare: 'apps/cli/src/start/prepare/main.ts',
  'parent-watch': 'apps/cli/src/start/supervisor/parent-watch.ts',
} as const;

export type ProcessEntry = keyof typeof PROCESS_ENTRIES;

/** The file that Node runs for a process: its source, or the file beside this one when this code is bundled. */
export function entryFile(name: ProcessEntry): string {
  const here = import.meta.filename;
  if (!here.endsWith('.ts')) return join(dirname(here), `${name}.js`);
  return join(dirname(here), '..', '..', '..', '..', PROCESS_ENTRIES[name]);
}
