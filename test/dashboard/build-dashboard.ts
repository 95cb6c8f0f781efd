import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const BUILD = join(import.meta.dirname, '../../apps/dashboard/build.ts');

/** Builds the dashboard, unless its sources are built already. Call it before the service starts. */
export function buildDashboard(): void {
  const built = spawnSync(process.execPath, [BUILD], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the dashboard was not built:\n${built.stdout}${built.stderr}`);
}
