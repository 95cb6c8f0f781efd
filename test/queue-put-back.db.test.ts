import { bothBackends, createTestDatabase } from '@gleaner/db/testing';
import { createQueueBackend, groupDelivery, type QueueBackend } from '@gleaner/queue';
import { afterAll, beforeAll, expect, it } from 'vitest';

function ignore() {
  return undefined;
}

bothBackends('a queue', (backend) => {
  let queue: QueueBackend;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const database = await createTestDatabase();
    const log = { info: ignore, warn: ignore, error: ignore };
    queue = await createQueueBackend({ redisUrl: backend.redisUrl, databaseUrl: database.url, log });
    close = async () => {
      await queue.close();
      await database.close();
    };
  });
  afterAll(() => close());

  it('hands requests out by rank, and a job that is put back comes up again', async () => {
    const ranked: [string, number][] = [
      ['a1', 1],
      ['a2', 2],
      ['a3', 3],
      ['b1', 1],
    ];
    await queue.deliver(
      ranked.map(([id, rank]) =>
        groupDelivery('interactive-http', [{ id, attempt: 1, account: id.slice(0, 1), rank }]),
      ),
    );
    const taken: string[] = [];
    const claimer = queue.claimer('interactive-http');
    while (taken.length < 5) {
      const job = await claimer.claim();
      if (job?.payload.kind !== 'request') continue;
      const { id } = job.payload;
      await (id === 'a1' && !taken.includes(id) ? job.putBack(1_000) : job.end());
      taken.push(id);
    }
    await claimer.close();
    expect(taken.filter((id) => id === 'a1')).toHaveLength(2);
    expect(taken.indexOf('b1')).toBeLessThan(taken.indexOf('a2'));
    expect(taken.indexOf('a2')).toBeLessThan(taken.indexOf('a3'));
  });

  it('leaves a job of a kind that it does not know to processes of a later version', async () => {
    const name = 'batch-browser';
    await queue.queue(name).add('later', { kind: 'later', id: 'x' }, { jobId: 'later-1' });
    await queue.deliver([{ queue: name, jobId: 'canary-1', payload: { kind: 'canary' } }]);
    const taken: string[] = [];
    const claimer = queue.claimer(name);
    while (taken.length === 0) {
      const job = await claimer.claim();
      if (job) taken.push(job.payload.kind);
      await job?.end();
    }
    await claimer.close();
    expect(taken).toEqual(['canary']);
    await expect.poll(async () => (await queue.counts(name)).delayed).toBe(1);
    expect(await queue.queue(name).getJob('later-1')).toMatchObject({ data: { kind: 'later' } });
  });

  it('carries messages between processes, line by line', async () => {
    const heard: string[] = [];
    const subscription = await queue.signals.listen('gleaner_test_channel', (line) => heard.push(line));
    const lines = Array.from({ length: 500 }, (_, index) => `req_${String(index).padStart(30, '0')}`);
    for (const line of lines) queue.signals.send('gleaner_test_channel', line);
    await expect.poll(() => heard.length).toBe(lines.length);
    expect(heard).toEqual(lines);
    await subscription.close();
  });
});
