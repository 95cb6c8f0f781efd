import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import type { FetchLog } from '../fetch-types.ts';
import { HostBusyError } from './host-busy.ts';
import { createLocalStarts, type Claim, type HostStore } from './host-store.ts';
import type { HostWait } from './host-wait.ts';
import { createPoliteness, type Politeness, type PolitenessOptions } from './politeness.ts';

function nothing(): void {
  return undefined;
}
const log: FetchLog = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function createLocalPoliteness(options: Omit<PolitenessOptions, 'log'> = {}): Politeness {
  return createPoliteness({ log, ...options });
}

function wait(ms = 5_000, accountId = 'acc_1'): HostWait {
  return {
    accountId,
    deadlineAt: Date.now() + ms,
    signal: new AbortController().signal,
  };
}

describe('politeness in one process', () => {
  it('costs nothing for a host without a pause or limit', () => {
    expect(createLocalPoliteness().enter('a.example.com', wait())).toBeUndefined();
  });

  it('keeps an account from a host that asked it for a pause, and from no other host', async () => {
    const politeness = createLocalPoliteness();
    const startedAt = Date.now();
    politeness.slowDown('a.example.com', 'acc_1', 300);
    expect(politeness.enter('b.example.com', wait())).toBeUndefined();
    await politeness.enter('a.example.com', wait());
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(290);
    expect(politeness.enter('a.example.com', wait())).toBeUndefined();
  });

  it('keeps all accounts from a host only while it asks two of them for a pause', async () => {
    let at = 1_000;
    const politeness = createLocalPoliteness({ now: () => at });
    const seconds = async (accountId: string): Promise<number> => {
      try {
        await politeness.enter('a.example.com', { ...wait(0, accountId), deadlineAt: at });
        return 0;
      } catch (error) {
        if (error instanceof HostBusyError) return error.options?.retryAfterSeconds ?? 0;
        throw error;
      }
    };
    politeness.slowDown('a.example.com', 'acc_1', 3_600_000);
    expect([await seconds('acc_1'), await seconds('acc_2'), await seconds('acc_3')]).toEqual([3_600, 0, 0]);
    politeness.slowDown('a.example.com', 'acc_2', 5_000);
    politeness.slowDown('a.example.com', 'acc_2', 10_000);
    expect([await seconds('acc_1'), await seconds('acc_2'), await seconds('acc_3')]).toEqual([3_600, 10, 10]);
    at += 10_000;
    expect([await seconds('acc_1'), await seconds('acc_2'), await seconds('acc_3')]).toEqual([3_590, 0, 0]);
  });

  it('says at once, and when to come again, when the pause outlasts the deadline', async () => {
    const politeness = createLocalPoliteness();
    politeness.slowDown('a.example.com', 'acc_1', 7_200_000);
    // A wait until the deadline would outlast the test.
    await expect(politeness.enter('a.example.com', wait(3_600_000))).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: true,
      options: { retryAfterSeconds: 7_200, detail: 'a.example.com asked for a pause' },
    });
  });

  it('admits no more than the limit, and forgets requests that gave up', async () => {
    const politeness = createLocalPoliteness({ hostConcurrency: 2 });
    let running = 0;
    let most = 0;
    const visit = async (): Promise<void> => {
      const leave = await politeness.enter('a.example.com', wait());
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      leave?.leave();
    };
    const first = await politeness.enter('a.example.com', wait());
    const second = await politeness.enter('a.example.com', wait());
    await expect(politeness.enter('a.example.com', wait(50))).rejects.toMatchObject({ retryable: true });
    const abort = new AbortController();
    const given = politeness.enter('a.example.com', { ...wait(), signal: abort.signal });
    abort.abort(new Error('gone'));
    await expect(given).rejects.toThrow('gone');
    first?.leave();
    second?.leave();
    await Promise.all(Array.from({ length: 50 }, visit));
    expect(most).toBe(2);
  });

  it('stays quick and bounded however many hosts ask for a pause', () => {
    const politeness = createLocalPoliteness();
    const startedAt = process.cpuUsage().user;
    for (let at = 0; at < 50_000; at += 1) politeness.slowDown(`h${at}.example.com`, 'acc_1', 3_600_000);
    for (let at = 49_000; at < 50_000; at += 1) politeness.slowDown(`h${at}.example.com`, 'acc_1', 3_600_000);
    if (inject('isLong')) expect(process.cpuUsage().user - startedAt).toBeLessThan(2_000_000);
    expect(politeness.enter('h0.example.com', wait())).toBeUndefined();
    const last = politeness.enter('h49999.example.com', wait());
    expect(last).toBeDefined();
    return expect(last).rejects.toMatchObject({ code: 'fetch_failed' });
  });

  it('keeps crawls to the pause that a host asks for, and nobody else', async () => {
    const politeness = createLocalPoliteness();
    const crawls = (accountId: string): HostWait => ({ ...wait(5_000, accountId), crawlDelayMs: 100 });
    const startedAt = Date.now();
    await Promise.all(
      ['acc_1', 'acc_2', 'acc_3'].map(async (id) =>
        (await politeness.enter('a.example.com', crawls(id)))?.leave(),
      ),
    );
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(198);
    expect(politeness.enter('a.example.com', wait())).toBeUndefined();
  });

  it('books no start for a request that can not wait for it, and tells each a time of its own', async () => {
    let at = 1_000;
    const politeness = createLocalPoliteness({ now: () => at });
    const crawls = { ...wait(), deadlineAt: 3_000, crawlDelayMs: 10_000 };
    (await politeness.enter('a.example.com', crawls))?.leave();
    for (const seconds of [10, 20, 30])
      await expect(politeness.enter('a.example.com', crawls)).rejects.toMatchObject({
        isPaced: true,
        options: {
          retryAfterSeconds: seconds,
          detail: 'a.example.com asks crawlers for 10 seconds between pages',
        },
      });
    at += 10_000;
    await politeness.enter('a.example.com', { ...crawls, deadlineAt: 12_000 });
  });

  it('a run keeps its pace: one request waits, others are told when to come, and the next follows when it has left', async () => {
    let at = 1_000_000;
    const politeness = createLocalPoliteness({ now: () => at });
    const own = { run: '1', delayMs: 2_000, concurrency: 0 };
    const enter = (host = 'a.example.com') =>
      politeness.enter(host, { ...wait(), deadlineAt: at + 60_000, own });
    const first = await enter();
    expect(await enter('b.example.com')).toBeDefined();
    first?.sent();
    first?.leave();
    at += 500;
    const waiting = enter();
    const told = (seconds: number) => ({
      isPaced: true,
      options: { retryAfterSeconds: seconds, detail: 'hostDelaySeconds of a.example.com' },
    });
    await expect(enter()).rejects.toMatchObject(told(4));
    await expect(enter()).rejects.toMatchObject(told(6));
    // Another run has a pace of its own.
    const other = { ...wait(), deadlineAt: at + 60_000, own: { ...own, run: '2' } };
    expect(await politeness.enter('a.example.com', other)).toBeDefined();
    at += 1_500;
    expect(await waiting).toBeDefined();
  });

  it('asks the store once for the pages of a run that come one after another', async () => {
    const asked: string[] = [];
    const starts = createLocalStarts(Date.now);
    const store = storeWith({
      claimStart: async (...given) => {
        asked.push('claim');
        return starts.claimStart(...given);
      },
      sent: async (...given) => {
        asked.push('sent');
        return starts.sent(...given);
      },
    });
    const politeness = createPoliteness({ store, log });
    const own = { run: '1', delayMs: 1, concurrency: 0 };
    const begunAt = performance.now();
    const enter = () => politeness.enter('a.example.com', { ...wait(100_000), own });
    let visit = await enter();
    for (let page = 0; page < 100; page += 1) {
      const next = enter();
      visit?.leave();
      visit = await next;
    }
    visit?.leave();
    await politeness.close();
    const claims = 1 + Math.floor((performance.now() - begunAt) / 9_000);
    expect(asked.filter((what) => what === 'claim').length).toBeLessThanOrEqual(claims);
    expect(asked.filter((what) => what === 'sent')).toHaveLength(1);
  });

  it('lets a run have so many requests at a host, and a redirect there takes no further slot', async () => {
    const politeness = createLocalPoliteness();
    const own = { run: '1', delayMs: 0, concurrency: 1 };
    const first = await politeness.enter('a.example.com', { ...wait(), own });
    const second = politeness.enter('a.example.com', { ...wait(100_000), own });
    await expect(politeness.enter('a.example.com', { ...wait(), own })).rejects.toMatchObject({
      isOwnPace: true,
      options: { detail: 'hostConcurrency of a.example.com' },
    });
    const redirect = { ...wait(), own, isRedirect: true, hasSlot: true };
    expect(await politeness.enter('a.example.com', redirect)).toBeUndefined();
    first?.leave();
    (await second)?.leave();
    expect(await politeness.enter('a.example.com', { ...wait(), own })).toBeDefined();
  });

  it('takes the places of a run at once, keeps them for its next pages, and gives them back when nobody wants them', async () => {
    const taken: number[] = [];
    const starts = createLocalStarts(Date.now);
    const { promise: isGivenBack, resolve: giveBack } = Promise.withResolvers<number>();
    const store = storeWith({
      takeSlots: async (...given) => {
        taken.push(given[2]);
        return starts.takeSlots(...given);
      },
      releaseSlots: async (_name, tokens) => giveBack(tokens.length),
    });
    const politeness = createPoliteness({ store, log });
    const own = { run: '1', delayMs: 0, concurrency: 4 };
    const enter = () => politeness.enter('a.example.com', { ...wait(100_000), own });
    let visits = await Promise.all([enter(), enter(), enter(), enter()]);
    for (let round = 0; round < 50; round += 1) {
      for (const visit of visits) visit?.leave();
      visits = await Promise.all([enter(), enter(), enter(), enter()]);
    }
    expect(taken).toEqual([4]);
    for (const visit of visits) visit?.leave();
    expect(await isGivenBack).toBe(4);
    await politeness.close();
  });

  it('a page that waits takes the place that another worker gives back, and one that waits in vain asks a few times', async () => {
    let asked = 0;
    let free: string[] = [];
    const store = storeWith({
      takeSlots: async () => {
        asked += 1;
        return free;
      },
    });
    const politeness = createPoliteness({ store, log });
    const own = { run: '1', delayMs: 0, concurrency: 1 };
    const vain = politeness.enter('a.example.com', { ...wait(400), own });
    await expect(vain).rejects.toMatchObject({ isOwnPace: true });
    expect(asked).toBeLessThanOrEqual(10);
    const waiting = politeness.enter('b.example.com', { ...wait(100_000), own });
    free = ['1:1'];
    expect(await waiting).toBeDefined();
    await politeness.close();
  });

  it('spaces starts out', async () => {
    const politeness = createLocalPoliteness({ hostRequestsPerSecond: 20 });
    const startedAt = Date.now();
    const visits = Array.from({ length: 6 }, async () =>
      (await politeness.enter('a.example.com', wait()))?.leave(),
    );
    await Promise.all(visits);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(240);
  });
});

function storeWith(parts: Partial<HostStore>): HostStore {
  return {
    holdMs: 15_000,
    pause: async () => undefined,
    listPauses: async () => [],
    claimStart: async () => ({ token: 1 }),
    sent: async () => undefined,
    takeSlots: async () => ['1:1'],
    releaseSlots: async () => undefined,
    ...parts,
  };
}

describe('politeness over all workers', () => {
  it('asks a store that hangs once', async () => {
    let asked = 0;
    const listPauses: HostStore['listPauses'] = () => {
      asked += 1;
      return new Promise(nothing);
    };
    const politeness = createPoliteness({ store: storeWith({ listPauses }), log, pollMs: 5 });
    await expect.poll(() => asked).toBe(1);
    await sleep(60);
    expect(asked).toBe(1);
    await politeness.close();
  });

  it('sends no waiting request to a host that asked for a pause meanwhile, and releases its slot', async () => {
    const { promise: isBooked, resolve: book } = Promise.withResolvers<Claim>();
    const released: string[] = [];
    const store = storeWith({
      claimStart: () => isBooked,
      releaseSlots: async (host) => void released.push(host),
    });
    const politeness = createPoliteness({ store, log, hostConcurrency: 1, hostRequestsPerSecond: 1 });
    const entered = politeness.enter('a.example.com', {
      accountId: 'acc_1',
      deadlineAt: Date.now() + 5_000,
      signal: new AbortController().signal,
    });
    politeness.slowDown('a.example.com', 'acc_1', 60_000);
    book({ token: 1 });
    await expect(entered).rejects.toMatchObject({
      options: { detail: expect.stringContaining('asked for a pause') },
    });
    expect(released).toEqual(['a.example.com']);
    await politeness.close();
  });
});
