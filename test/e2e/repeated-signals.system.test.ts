import { createTestDatabase } from '@gleaner/db/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startSystem } from '../system/start-system.ts';

test('a process that is told to stop again and again stops as cleanly as after one signal', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const system = await startSystem({ databaseUrl: database.url });
  onTestFinished(() => system.stop());
  for (const process of [system.api, system.scheduler, ...system.workers]) {
    // A service manager sends SIGTERM to a supervisor and to its processes, which the supervisor then stops as well.
    const again = setInterval(() => process.signal('SIGTERM'), 1);
    const ended = await process.ended();
    clearInterval(again);
    expect(ended, process.output()).toEqual({ code: 0, signal: null });
    expect(process.output().match(/"msg":"stopping"/g)).toHaveLength(1);
  }
});
