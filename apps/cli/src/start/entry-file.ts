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

/** The bundled file that Node runs for a process: beside this one, or in `dist/` when this code is not bundled itself. */
export function entryFile(name: ProcessEntry): string {
  const here = import.meta.filename;
  const folder = here.endsWith('.ts') ? join(dirname(here), '..', '..', '..', '..', 'dist') : dirname(here);
  return join(folder, `${name}.js`);
}
