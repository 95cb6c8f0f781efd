import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Retakes the pictures of the docs, all or those that are named: `node scripts/pictures.ts today cron`. The tests that look
 * at each page of the dashboard take them.
 */

const root = join(import.meta.dirname, '..');
/** The picture of a test for each picture of the docs. */
const PICTURES: Readonly<Record<string, { test: string; shot: string }>> = {
  today: { test: 'today', shot: 'today-light' },
  studio: { test: 'pages', shot: 'studio-light' },
  cron: { test: 'pages', shot: 'cron-light' },
  'workflow-run': { test: 'pages', shot: 'workflow-run-light' },
};

const named = process.argv.slice(2);
const wanted = Object.entries(PICTURES).filter(([name]) => named.length === 0 || named.includes(name));
if (wanted.length === 0) throw new Error(`the pictures are ${Object.keys(PICTURES).join(', ')}`);
const folder = mkdtempSync(join(tmpdir(), 'gleaner-pictures-'));
try {
  const tests = [...new Set(wanted.map(([, { test }]) => `test/dashboard/${test}.system.test.ts`))];
  const { status } = spawnSync(process.execPath, ['scripts/test.ts', ...tests], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, GLEANER_SCREENSHOTS: folder },
  });
  if (status !== 0) throw new Error('the tests that take the pictures failed');
  for (const [name, { shot }] of wanted)
    copyFileSync(join(folder, `${shot}.png`), join(root, `docs/use/pictures/${name}.png`));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
