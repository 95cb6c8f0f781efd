import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError, type ParserSchema } from '@gleaner/contracts';
import { createExtractionPool, type ExtractionPool, type PoolOptions } from './index.ts';
import { startThread } from './pool-thread.ts';
import { createScheduler } from './scheduler.ts';

const TITLE: ParserSchema = { fields: { title: 'h1' } };
/** A valid selector that never ends on a large page: it compares every element with every earlier one. */
const ENDLESS: ParserSchema = {
  fields: { n: { xpath: '//p[preceding::p[preceding::p[preceding::p/@x = @y]/@x = @y]]', take: 'count' } },
};

const pools: ExtractionPool[] = [];

function start(options: Partial<PoolOptions> = {}): ExtractionPool {
  const pool = createExtractionPool({ threads: 1, timeoutMs: 100_000, ...options });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

/** Nice values of this process's threads (proc(5): the 19th field of stat). */
function threadPriorities(): number[] {
  return readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

function page(text: string): { body: string } {
  return { body: `<h1>${text}</h1>` };
}

const endless = { parserKey: 'endless', schema: ENDLESS, page: { body: '<p x=1 y=2>'.repeat(3_000) } };

describe('the extraction pool', () => {
  it('extracts, as objects and as JSON text', async () => {
    const pool = start();
    const request = { parserKey: 'a', schema: TITLE, page: page('x') };
    expect(await pool.extract(request)).toMatchObject({
      ok: true,
      data: { title: 'x' },
      fields: [{ path: 'title' }],
    });
    expect(await pool.extractJson(request)).toMatchObject({
      ok: true,
      data: '{"title":"x"}',
      fields: [{ path: 'title' }],
    });
    expect(await pool.extract({ ...request, explain: true })).toMatchObject({ explain: [{ path: 'title' }] });
    expect(await pool.check({ fields: { a: 'b[' } })).toMatchObject({
      ok: false,
      faults: [{ path: 'fields.a' }],
    });
  });

  it('kills only the task that takes too long, and continues with the next', async () => {
    const pool = start({ timeoutMs: 3_000, pipeline: 3 });
    const [killed, ...others] = await Promise.all([
      pool.extract(endless),
      ...['a', 'b', 'c', 'd'].map((text) =>
        pool.extract({ parserKey: 'a', schema: TITLE, page: page(text) }),
      ),
    ]);
    expect(killed).toEqual({
      ok: false,
      failure: {
        code: 'extraction_failed',
        detail: 'extraction took longer than 3 s and was stopped',
        fields: [],
      },
      fields: [],
    });
    expect(others.map((result) => result.ok && result.data['title'])).toEqual(['a', 'b', 'c', 'd']);
    expect(pool.stats()).toMatchObject({ threads: 1, busy: 0, queued: 0, deaths: 1 });
  });

  it('keeps nobody waiting behind the slow tasks of another owner, however many those send', async () => {
    const pool = start({ spareThreads: 1, timeoutMs: 60_000 });
    const warm = { parserKey: 'a', schema: TITLE, page: page('x'), owner: 'b' };
    await Promise.all([pool.extract(warm), pool.extract({ ...warm, owner: 'c' })]);
    const slow = Promise.allSettled(
      Array.from({ length: 4 }, () => pool.extract({ ...endless, owner: 'a' })),
    );
    for (let turn = 0; turn < 20; turn += 1) {
      expect(await pool.extract(warm)).toMatchObject({ ok: true });
    }
    // None of the slow ones has ended meanwhile.
    expect(pool.stats()).toMatchObject({ threads: 2, queued: 3, deaths: 0 });
    await pool.close();
    await slow;
  });

  it('keeps a thread for each further owner while as many as there are spare threads send slow tasks', async () => {
    const pool = start({ threads: 2, spareThreads: 2, timeoutMs: 60_000 });
    const slow = Promise.allSettled(
      ['a', 'b', 'a', 'b', 'a', 'b'].map((owner) => pool.extract({ ...endless, owner })),
    );
    for (let turn = 0; turn < 20; turn += 1) {
      expect(
        await pool.extract({ parserKey: 'a', schema: TITLE, page: page('c'), owner: 'c' }),
      ).toMatchObject({ data: { title: 'c' } });
    }
    expect(pool.stats()).toMatchObject({ threads: 3, busy: 2, queued: 4, deaths: 0 });
    await pool.close();
    await slow;
  });

  it('starts threads when there is work, and ends them when they have had none for long', async () => {
    const pool = start({ threads: 2, spareThreads: 1, idleMs: 300 });
    expect(pool.stats().threads).toBe(0);
    const request = { parserKey: 'a', schema: TITLE, page: page('x') };
    const both = Promise.all(['a', 'b'].map((owner) => pool.extract({ ...request, owner })));
    // Each has a thread before either ends: on a busy machine the first one may have ended when the second has loaded.
    expect(pool.stats()).toMatchObject({ threads: 2, busy: 2 });
    await both;
    await expect.poll(() => pool.stats().threads).toBe(0);
    expect(await pool.extract(request)).toMatchObject({ ok: true });
    expect(pool.stats()).toMatchObject({ threads: 1, deaths: 0 });
    const busy = pool.extract({ ...endless, owner: 'a' }).catch((error: unknown) => String(error));
    await expect.poll(() => pool.stats().busy).toBe(1);
    await pool.extract({ ...request, owner: 'b' });
    await expect.poll(() => pool.stats().threads).toBe(1);
    await pool.close();
    expect(await busy).toContain('closed');
  });

  it('starts background threads on demand and at a lower priority', async () => {
    const own = getPriority();
    const pool = start({ threads: 2, isBackground: true });
    expect(pool.stats().threads).toBe(0);
    await pool.extract({ parserKey: 'a', schema: TITLE, page: page('x') });
    expect(pool.stats().threads).toBe(1);
    expect(getPriority()).toBe(own);
    if (process.platform === 'linux') expect(threadPriorities()).toContain(Math.min(19, own + 10));
  });

  it('fails only the task that runs out of memory twice', async () => {
    const pool = start({ maxHeapMb: 64, pipeline: 3 });
    const greedy = pool.extract({
      parserKey: 'greedy',
      schema: { fields: { all: { css: 'p', take: 'all', fields: { a: ':scope' } } } },
      page: { body: '<p><b>x</b>y'.repeat(240_000) },
    });
    const others = ['a', 'b'].map((text) =>
      pool.extract({ parserKey: 'a', schema: TITLE, page: page(text) }),
    );
    expect(await greedy).toMatchObject({
      ok: false,
      failure: { detail: expect.stringContaining('64 MB of memory') as string },
    });
    expect((await Promise.all(others)).map((result) => result.ok && result.data['title'])).toEqual([
      'a',
      'b',
    ]);
    expect(pool.stats().deaths).toBe(2);
  });

  it('keeps its thread when a result is too long as JSON', async () => {
    // Its own limit of time must not end it first.
    const pool = start({ timeoutMs: 120_000 });
    const text = { css: 'p', attr: 'raw_text' } as const;
    const result = await pool.extract({
      parserKey: 'controls',
      schema: { fields: { a: text, b: text, c: text } },
      page: { body: `<p>${'\u0001'.repeat(8_000_000)}` },
    });
    expect(result).toMatchObject({
      ok: false,
      failure: { detail: 'the result has more than 128,000,000 characters as JSON' },
    });
    expect(pool.stats().deaths).toBe(0);
  });

  it('caches parsers by key, and sends a schema again after the thread dropped it', async () => {
    const pool = start({ pipeline: 4 });
    const titles = await Promise.all(
      Array.from({ length: 900 }, async (_, index) => {
        const key = index % 300;
        const result = await pool.extract({
          parserKey: `k${key}`,
          schema: { fields: { [`f_${key}`]: 'h1' } },
          page: page(String(index)),
        });
        return result.ok ? result.data[`f_${key}`] : result.failure.detail;
      }),
    );
    expect(titles).toEqual(Array.from({ length: 900 }, (_, index) => String(index)));
  });

  it('copies a view of a larger buffer alone, and leaves bodies to their owner', async () => {
    const pool = start();
    const slab = Buffer.from(`xxxx<h1>${'é'.repeat(3)}</h1>xxxx`);
    const view = slab.subarray(4, slab.length - 4);
    const result = await pool.extract({ parserKey: 'a', schema: TITLE, page: { body: view } });
    expect(result).toMatchObject({ data: { title: 'ééé' } });
    expect(slab.toString()).toContain('ééé');

    const large = new Uint8Array(Buffer.from(`<h1>big</h1>${'<p>x</p>'.repeat(200_000)}`));
    expect(await pool.extract({ parserKey: 'a', schema: TITLE, page: { body: large } })).toMatchObject({
      data: { title: 'big' },
    });
    expect(large.byteLength).toBeGreaterThan(1_000_000);
  });

  it('rejects tasks when the queue is full', async () => {
    const pool = start({ maxQueue: 2 });
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => pool.extract({ parserKey: 'a', schema: TITLE, page: page('x') })),
    );
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(results[4]).toMatchObject({ reason: { code: 'temporarily_unavailable' } });
  });

  it('alternates between owners, so many slow tasks of one owner delay nobody else', async () => {
    const pool = start({ timeoutMs: 2_000 });
    const ended: string[] = [];
    const log = (name: string) => () => void ended.push(name);
    await Promise.all([
      ...[1, 2].map(() => pool.extract({ ...endless, owner: 'slow' }).then(log('slow'))),
      ...['b1', 'b2'].map((name) =>
        pool.extract({ parserKey: 'a', schema: TITLE, page: page(name), owner: 'b' }).then(log(name)),
      ),
      pool.check(TITLE, { owner: 'c' }).then(log('c')),
    ]);
    expect(ended).toEqual(['slow', 'b1', 'c', 'slow', 'b2']);
  });

  it('never gives one owner all threads while others wait', async () => {
    const pool = start({ threads: 2, timeoutMs: 2_000 });
    const ended: string[] = [];
    const slow = Array.from({ length: 4 }, () =>
      pool.extract({ ...endless, owner: 'slow' }).then(() => void ended.push('slow')),
    );
    const quick = ['a1', 'a2', 'a3'].map((name) =>
      pool
        .extract({ parserKey: 'a', schema: TITLE, page: page(name), owner: 'a' })
        .then(() => void ended.push(name)),
    );
    await Promise.all([...slow, ...quick]);
    // The first two began before any other owner waited.
    expect(ended.slice(0, 5).filter((name) => name !== 'slow')).toEqual(['a1', 'a2', 'a3']);
  });

  it('limits the waiting tasks of one owner', async () => {
    const pool = start({ maxQueue: 32, timeoutMs: 2_000 });
    const controller = new AbortController();
    const { signal } = controller;
    const all = Array.from({ length: 20 }, () => pool.extract({ ...endless, owner: 'a', signal }));
    const settled = Promise.allSettled(all);
    controller.abort(new Error('enough'));
    const refused = (await settled).filter(
      (result) =>
        result.status === 'rejected' &&
        result.reason instanceof AppError &&
        result.reason.code === 'concurrency_limit_exceeded',
    );
    // One task runs and eight wait.
    expect(refused).toHaveLength(11);
    expect(await pool.check(TITLE, { owner: 'b' })).toMatchObject({ ok: true });
  });

  it('rejects values that are too deep to copy or parse, and continues', async () => {
    const pool = start();
    const nested = (depth: number): unknown => {
      let value: unknown = 1;
      for (let level = 0; level < depth; level += 1) value = { a: value };
      return value;
    };
    for (const depth of [500, 2_000, 5_000, 100_000]) {
      const checks = await Promise.all([1, 2, 3].map(() => pool.check(nested(depth))));
      expect(checks.map(({ ok }) => ok)).toEqual([false, false, false]);
    }
    expect(await pool.check(nested(100_000))).toEqual({
      ok: false,
      faults: [{ path: '', reason: 'nested too deeply' }],
    });
    await expect(
      pool.extract({ parserKey: 'deep', schema: nested(100_000) as ParserSchema, page: page('x') }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await pool.extract({ parserKey: 'a', schema: TITLE, page: page('x') })).toMatchObject({
      ok: true,
    });
    expect(pool.stats()).toMatchObject({ threads: 1, busy: 0, queued: 0, deaths: 0 });
  });

  it('rejects tasks while the machine can’t start threads, and accepts them afterwards', async () => {
    let isFull = true;
    const scheduler = createScheduler({ threads: 1, isBackground: true }, (options) => {
      if (isFull) throw new Error('out of threads');
      return startThread(options);
    });
    const submit = () => scheduler.submit({ kind: 'check', work: { schema: TITLE } });
    await expect(submit()).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    isFull = false;
    expect(await submit()).toMatchObject({ json: expect.any(String) as string });
    await scheduler.close();
  });

  it('drops a task that is aborted while it waits or runs', async () => {
    const pool = start({ timeoutMs: 1_000 });
    const controller = new AbortController();
    const { signal } = controller;
    const running = pool.extract({ ...endless, signal });
    const waiting = pool.extract({ parserKey: 'a', schema: TITLE, page: page('x'), signal });
    controller.abort(new Error('client gone'));
    await expect(running).rejects.toThrow('client gone');
    await expect(waiting).rejects.toThrow('client gone');
    await expect(pool.extract({ parserKey: 'a', schema: TITLE, page: page('x'), signal })).rejects.toThrow(
      'client gone',
    );
    expect(pool.stats().queued).toBe(0);
  });

  it('rejects remaining and later tasks when it closes', async () => {
    const pool = start();
    const tasks = [endless, endless].map((request) => pool.extract(request));
    const settled = Promise.allSettled(tasks);
    await pool.close();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(pool.extract(endless)).rejects.toMatchObject({ code: 'temporarily_unavailable' });
  });

  it('keeps the event loop free while it parses 16 MB', async () => {
    const pool = start({ threads: 2 });
    await pool.extract({ parserKey: 'a', schema: TITLE, page: page('x') });
    const body = new Uint8Array(Buffer.from('<p class="a">text</p>'.repeat(16 * 45_000)));
    const schema: ParserSchema = { fields: { n: { css: 'p', take: 'count' } } };
    const [ownBefore, allBefore] = [process.threadCpuUsage(), process.cpuUsage()];
    await pool.extract({ parserKey: 'n', schema, page: { body } });
    const [own, all] = [process.threadCpuUsage(ownBefore), process.cpuUsage(allBefore)];
    // The work is another thread's, whatever time it takes.
    expect(own.user + own.system).toBeLessThan((all.user + all.system) / 2);
  });
});
