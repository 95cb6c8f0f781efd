import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloneTemplate, makeTemplate, REDIS_DATABASES, type TestServices } from '@gleaner/db/testing/server';
import { startPostgres } from '@gleaner/embedded-postgres';
import type { TestProject } from 'vitest/node';
import { needsServices } from '../scripts/tests/tiers.ts';
import { buildDashboard } from './dashboard/build-dashboard.ts';
import { startRedis } from './processes/redis.ts';
import { bundleProcesses } from './system/process-file.ts';
import type { System } from './system/start-system.ts';

const COMPILED = join(import.meta.dirname, '../node_modules/.cache/compiled');
const DASHBOARD = join(import.meta.dirname, 'dashboard/');
const DOORS = join(import.meta.dirname, 'doors/');
/** Its tests run the command line. */
const COMMANDS = join(import.meta.dirname, '../apps/cli/');
/** Its starts would build the dashboard, and each stop would end the build. */
const START = join(import.meta.dirname, '../apps/cli/src/start/');
/** Folders whose files use one system (`useSystem`). */
const SHARING = [DASHBOARD, DOORS, join(import.meta.dirname, 'e2e/'), join(import.meta.dirname, 'mistakes/')];

/**
 * One Postgres and, where the machine has it, one Redis for the whole run, and one system for the files that share it;
 * all end with the run, which starts only what its files need.
 */
export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // The forks and their threads start with the code that an earlier one compiled.
  process.env.NODE_COMPILE_CACHE ??= COMPILED;
  const files = project.vitest.state.getPaths();
  const needs = (...folders: string[]): boolean =>
    files.some((path) => folders.some((folder) => path.startsWith(folder)));
  if (needs(COMMANDS) || files.some((path) => path.endsWith('.system.test.ts') || path.startsWith(DOORS)))
    bundleProcesses();
  if (needs(DASHBOARD, START, DOORS)) buildDashboard();
  if (!files.some(needsServices)) return undefined;
  const postgres = await startTestPostgres();
  const redis = await startRedis({ databases: REDIS_DATABASES });
  project.provide('services', {
    ...postgres.services,
    redis: 'missing' in redis ? redis : { url: redis.url },
  });
  const system = needs(...SHARING) ? await startShared(project, postgres.services) : undefined;
  return async () => {
    await system?.stop();
    printErrors(system);
    if (!('missing' in redis)) await redis.stop();
    await postgres.stop();
  };
}

/** The system of `useSystem`, with room for the anonymous requests of all files. */
async function startShared(
  project: TestProject,
  { postgresUrl, template }: Omit<TestServices, 'redis'>,
): Promise<System> {
  const databaseUrl = await cloneTemplate(postgresUrl, template, 'test_shared');
  const env = { GLEANER_PUBLIC_REQUESTS_PER_MINUTE: '1000000', GLEANER_FIRECRAWL_DOOR: '1' };
  // Here, because a run without a system need not load all that it takes.
  const { startSystem } = await import('./system/start-system.ts');
  const system = await startSystem({ databaseUrl, env });
  project.provide('system', { baseUrl: system.baseUrl, databaseUrl });
  return system;
}

/** Says what a failed test can't: why the shared system answered with an internal error. */
function printErrors(system: System | undefined): void {
  const errors = system?.output().match(/^.*"level":(?:50|60)\b.*$/gm) ?? [];
  if (errors.length > 0) console.error(`Errors of the shared system:\n${errors.join('\n')}`);
}

async function startTestPostgres(): Promise<{
  services: Omit<TestServices, 'redis'>;
  stop: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-test-'));
  // As root the server runs as another user, who must be able to pass through.
  await chmod(folder, 0o711);
  const serverLog: string[] = [];
  const server = await startPostgres({
    dataDir: folder,
    durable: false,
    log: (line) => serverLog.push(line),
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
    const panics = serverLog.filter((line) => /^(PANIC|LOG: .*terminated by signal)/.test(line));
    if (panics.length > 0) console.error(`The test run's Postgres had trouble:\n${panics.join('\n')}`);
  };
  const { prepareDatabase } = await import('@gleaner/core');
  const template = await makeTemplate(server.url, prepareDatabase).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { services: { postgresUrl: server.url, template }, stop };
}
