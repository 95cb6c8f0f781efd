import { bothBackends } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestServices, type TestServices } from '../../testing/test-services.ts';
import { applyPauses, createPauseCheck, setQueuePause } from './paused-queues.ts';
import { readiness } from './readiness.ts';

bothBackends('pauses of queues', (backend) => {
  let opened: TestServices;
  beforeAll(async () => {
    opened = await openTestServices(backend);
  });
  afterAll(() => opened.close());

  it('give no job, come back after the queue lost them, and end', async () => {
    const { services } = opened;
    const { db, queue } = services;
    const name = 'interactive-http';
    const check = createPauseCheck(db, 0);
    await check(name);
    await setQueuePause(db, name, true);
    await setQueuePause(db, name, true);
    await expect(check(name)).rejects.toThrow('the operator has paused the queue interactive-http');
    await check('interactive-browser');
    await applyPauses(services);
    expect(await queue.queue(name).isPaused()).toBe(true);
    expect(await queue.queue('batch-http').isPaused()).toBe(false);
    await queue.queue(name).obliterate({ force: true });
    await queue.queue(name).resume();
    await applyPauses(services);
    expect(await queue.queue(name).isPaused()).toBe(true);
    // Nobody consumes its canary, which is no fault.
    expect(await readiness(services)).toMatchObject({
      ready: true,
      checks: { 'queue_interactive-http': 'paused by the operator' },
    });
    await setQueuePause(db, name, false);
    await applyPauses(services);
    expect(await queue.queue(name).isPaused()).toBe(false);
    await check(name);
  });
});
