import { needsServices } from '../scripts/tests/tiers.ts';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes more than half a minute, longest first. */
const LONGEST = [
  'test/upgrade/upgrade.system.test.ts',
  'test/dashboard/pages.system.test.ts',
  'apps/cli/src/start/start.system.test.ts',
  'test/chaos/chaos.system.test.ts',
  'test/e2e/workflows.system.test.ts',
  'test/crawl/exact-crawls.system.test.ts',
  'test/e2e/backup.system.test.ts',
  'test/unread-answers.system.test.ts',
  'packages/fetching/src/browser/browser-engine.system.test.ts',
  'test/dashboard/journeys.system.test.ts',
  'test/dashboard/studio.system.test.ts',
  'packages/threads/src/pool.test.ts',
  'test/e2e/cron-firings.system.test.ts',
  'test/e2e/lifecycle.system.test.ts',
  'apps/worker/src/chunks/running/run-chunk.db.test.ts',
  'packages/core/src/runs/chunks/turns.db.test.ts',
  'test/e2e/cli.system.test.ts',
  'packages/threads/src/hostile.test.ts',
  'apps/api/src/mcp/conformance.db.test.ts',
  'test/e2e/scrape.system.test.ts',
  'test/e2e/connections.system.test.ts',
  'packages/fetching/src/browser/browser-leaks.system.test.ts',
  'packages/embedded-postgres/src/postgres.db.test.ts',
];

/**
 * Starts first what takes longest, so that nothing long runs alone at the end: the longest files, other tests of whole
 * processes, those with a database, then the rest.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { root } = this.ctx.config;
    return sorted.toSorted((a, b) => rankOf(root, a) - rankOf(root, b));
  }
}

function rankOf(root: string, { moduleId }: TestSpecification): number {
  const path = moduleId.slice(root.length + 1);
  const place = LONGEST.indexOf(path);
  if (place !== -1) return place - LONGEST.length;
  if (!needsServices(path)) return 2;
  return path.startsWith('test/') ? 0 : 1;
}
