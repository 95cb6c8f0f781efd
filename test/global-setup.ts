import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemplate, REDIS_DATABASES, type TestServices } from '@gleaner/db/testing/server';
import { startPostgres } from '@gleaner/embedded-postgres';
import type { TestProject } from 'vitest/node';
import { startRedis } from './processes/redis.ts';
import { bundleProcesses } from './system/process-file.ts';

const PACKAGES = join(import.meta.dirname, '../packages/');

/**
 * One Postgres and, where the machine has it, one Redis for the whole run; both end with it. A run of nothing but
 * `x.test.ts`, which need no service, starts neither.
 */
export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const files = project.vitest.state.getPaths();
  // No package runs the processes.
  if (!files.every((path) => path.startsWith(PACKAGES))) bundleProcesses();
  if (!files.some((path) => path.endsWith('.db.test.ts'))) return undefined;
  const postgres = await startTestPostgres();
  const redis = await startRedis({ databases: REDIS_DATABASES });
  project.provide('services', {
    ...postgres.services,
    redis: 'missing' in redis ? redis : { url: redis.url },
  });
  return async () => {
    if (!('missing' in redis)) await redis.stop();
    await postgres.stop();
  };
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
  const template = await makeTemplate(server.url).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { services: { postgresUrl: server.url, template }, stop };
}
