import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemplate, REDIS_DATABASES, type TestServices } from '@gleaner/db/testing/server';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '@gleaner/embedded-postgres';
import { startRedis } from './processes/redis.ts';
import { bundleProcesses } from './system/process-file.ts';

/** One Postgres and, where the machine has it, one Redis for the whole run; both end with it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  bundleProcesses();
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-test-'));
  // As root the server runs as another user, who must be able to pass through.
  await chmod(folder, 0o711);
  const serverLog: string[] = [];
  const server = await startPostgres({
    dataDir: folder,
    durable: false,
    log: (line) => serverLog.push(line),
  });
  const removeServer = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const template = await makeTemplate(server.url).catch(async (error: unknown) => {
    await removeServer();
    throw error;
  });
  const redis = await startRedis({ databases: REDIS_DATABASES });
  if ('missing' in redis) console.warn(`\n!! Tests on Redis are SKIPPED: ${redis.missing}\n`);
  const services: TestServices = {
    postgresUrl: server.url,
    template,
    redis: 'missing' in redis ? redis : { url: redis.url },
  };
  project.provide('services', services);
  return async () => {
    if (!('missing' in redis)) await redis.stop();
    await removeServer();
    const panics = serverLog.filter((line) => /^(PANIC|LOG: .*terminated by signal)/.test(line));
    if (panics.length > 0) console.error(`The test run's Postgres had trouble:\n${panics.join('\n')}`);
  };
}
