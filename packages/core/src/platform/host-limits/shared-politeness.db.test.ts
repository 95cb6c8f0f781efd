import type { HostStore } from '@gleaner/fetching/host-store';
import { createPostgresHostStore } from './postgres-host-store.ts';
import { createDatabase, type Sql } from '@gleaner/db';
import { createTestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type FetchLog,
  HostBusyError,
  type HostVisit,
  type HostWait,
  type Politeness,
  createPoliteness,
} from '@gleaner/fetching';

const warnings: string[] = [];
const log: FetchLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_fields, message) => warnings.push(message),
  error: () => undefined,
};

function wait(ms = 5_000): HostWait {
  return {
    accountId: 'acc_1',
    deadlineAt: Date.now() + ms,
    signal: new AbortController().signal,
  };
}

function isPaused(politeness: Politeness, host: string): boolean {
  const turn = politeness.enter(host, wait());
  turn?.catch(() => undefined);
  return turn !== undefined;
}

describe('politeness over all workers', () => {
  let store: HostStore;
  let sql: Sql;
  let end: () => Promise<void>;
  const opened: Politeness[] = [];

  beforeAll(async () => {
    const database = await createTestDatabase();
    sql = database.db.sql;
    store = createPostgresHostStore(sql);
    end = database.close;
  });

  afterAll(async () => {
    await Promise.all(opened.map((politeness) => politeness.close()));
    await end();
  });

  const worker = (limits: { hostConcurrency?: number; hostRequestsPerSecond?: number } = {}): Politeness => {
    const politeness = createPoliteness({ store, log, pollMs: 50, ...limits });
    opened.push(politeness);
    return politeness;
  };

  it('applies a pause that one worker received to all workers', async () => {
    const [told, other] = [worker(), worker()];
    expect(isPaused(other, 'pause.example.com')).toBe(false);
    told.slowDown('pause.example.com', 'acc_1', 3_000);
    expect(isPaused(told, 'pause.example.com')).toBe(true);
    await expect.poll(() => isPaused(other, 'pause.example.com')).toBe(true);
    expect(isPaused(other, 'free.example.com')).toBe(false);
    await other.enter('pause.example.com', wait());
  });

  it('keeps the longer of two pauses', async () => {
    await store.pause('longer.example.com', 'acc_1', 60_000);
    await store.pause('longer.example.com', 'acc_1', 1_000);
    const [pause] = (await store.listPauses()).filter(({ host }) => host === 'longer.example.com');
    expect(pause?.leftMs).toBeGreaterThan(50_000);
  });

  it('never exceeds the limit on concurrent requests over all workers', async () => {
    const workers = [worker({ hostConcurrency: 3 }), worker({ hostConcurrency: 3 })];
    let running = 0;
    let most = 0;
    const visit = async (number: number): Promise<void> => {
      const leave = await workers[number % 2]?.enter('places.example.com', wait(20_000));
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      leave?.leave();
    };
    await Promise.all(Array.from({ length: 12 }, (_visit, number) => visit(number)));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(3);
  });

  it('frees a dead worker’s place when its lease expires', async () => {
    expect(await store.takeSlots('lease.example.com', 1, 1, 2_000)).toHaveLength(1);
    expect(await store.takeSlots('lease.example.com', 1, 1, 2_000)).toEqual([]);
    await expect
      .poll(() => store.takeSlots('lease.example.com', 1, 1, 60_000), { interval: 50 })
      .toHaveLength(1);
  });

  it('frees a place only for its holder', async () => {
    const place = await store.takeSlots('holder.example.com', 1, 1, 60_000);
    await store.releaseSlots('holder.example.com', ['1:1']);
    expect(await store.takeSlots('holder.example.com', 1, 1, 60_000)).toEqual([]);
    await store.releaseSlots('holder.example.com', place);
    expect(await store.takeSlots('holder.example.com', 1, 1, 60_000)).toHaveLength(1);
  });

  it('spaces request starts over all workers', async () => {
    const workers = [worker({ hostRequestsPerSecond: 20 }), worker({ hostRequestsPerSecond: 20 })];
    const startedAt = Date.now();
    await Promise.all(
      Array.from({ length: 8 }, async (_visit, number) =>
        (await workers[number % 2]?.enter('rate.example.com', wait()))?.leave(),
      ),
    );
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(330);
  });

  it('keeps crawls to the pause that a host asks for, over all workers', async () => {
    const workers = [worker(), worker()];
    const startedAt = Date.now();
    await Promise.all(
      Array.from({ length: 4 }, async (_visit, number) =>
        (await workers[number % 2]?.enter('slow.example.com', { ...wait(), crawlDelayMs: 100 }))?.leave(),
      ),
    );
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(280);
  });

  it('lets nobody ask before the interval has passed since a request left', async () => {
    const claimed = await store.claimStart('turn.example.com', 60_000);
    if (claimed.token === undefined) throw new Error('the turn was not free');
    await store.sent('turn.example.com', claimed.token, 60_000);
    const next = await store.claimStart('turn.example.com', 60_000);
    expect(next).toMatchObject({ token: undefined, isHeld: false });
    expect('waitMs' in next && next.waitMs).toBeGreaterThan(50_000);
  });

  it('until a request has left, and when its worker dies before it says so, the host counts as just asked', async () => {
    await store.claimStart('dead.example.com', 60_000);
    const next = await store.claimStart('dead.example.com', 60_000);
    expect(next).toMatchObject({ token: undefined, isHeld: true });
    expect('waitMs' in next && next.waitMs).toBeGreaterThan(60_000);
  });

  it('no two requests of a run come nearer than its delay, over workers that die before or after they sent one', async () => {
    const short = createPostgresHostStore(sql, 150);
    const open = (): Politeness => {
      const politeness = createPoliteness({ store: short, log, pollMs: 3_600_000, keepMs: 150 });
      opened.push(politeness);
      return politeness;
    };
    const workers = [open(), open(), open()];
    const own = { run: '7', delayMs: 40, concurrency: 0 };
    const sentAt: number[] = [];
    const enter = async (place: number): Promise<HostVisit | undefined> => {
      for (;;) {
        try {
          return await workers[place]?.enter('kills.example.com', { ...wait(100_000), own });
        } catch (error) {
          if (!(error instanceof HostBusyError)) throw error;
          await delay(20);
        }
      }
    };
    for (let page = 0; page < 24; page += 1) {
      const place = page % 5 === 0 ? (page / 5) % 3 : 0;
      const visit = await enter(place);
      sentAt.push(performance.now());
      const dies = page % 6 === 5;
      // It dies before it says that the request has left, or after that.
      if (!dies || page % 12 === 5) visit?.sent();
      if (dies) workers[place] = open();
      else visit?.leave();
    }
    const gaps = sentAt.slice(1).map((at, page) => at - (sentAt[page] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(40 - 2);
  });

  it('a run that keeps a pace sends nothing while the store is unavailable', async () => {
    const broken = { ...store, claimStart: () => Promise.reject(new Error('away')) };
    const politeness = createPoliteness({ store: broken, log, patienceMs: 60_000 });
    opened.push(politeness);
    const own = { run: '1', delayMs: 1_000, concurrency: 0 };
    await expect(politeness.enter('a.example.com', { ...wait(), own })).rejects.toMatchObject({
      isPaced: true,
    });
  });

  it('continues without the store when it is unavailable, and logs it', async () => {
    const broken: HostStore = {
      holdMs: 15_000,
      pause: () => Promise.reject(new Error('away')),
      listPauses: () => Promise.reject(new Error('away')),
      claimStart: () => Promise.reject(new Error('away')),
      sent: () => Promise.reject(new Error('away')),
      takeSlots: () => Promise.reject(new Error('away')),
      releaseSlots: () => Promise.reject(new Error('away')),
    };
    const politeness = createPoliteness({ store: broken, log, hostConcurrency: 1, patienceMs: 0 });
    opened.push(politeness);
    const leave = await politeness.enter('a.example.com', wait());
    await expect(politeness.enter('a.example.com', wait(50))).rejects.toMatchObject({ retryable: true });
    leave?.leave();
    await expect(politeness.enter('a.example.com', wait())).resolves.toBeDefined();
    expect(warnings.join()).toContain('not shared');
  });
});

describe('the store', () => {
  it('is only used when a limit is set', () => {
    const politeness = createPoliteness({
      store: createPostgresHostStore(createDatabase('postgres://nobody@127.0.0.1:1/none').sql),
      log,
      pollMs: 3_600_000,
    });
    expect(politeness.enter('a.example.com', wait())).toBeUndefined();
    return politeness.close();
  });
});
