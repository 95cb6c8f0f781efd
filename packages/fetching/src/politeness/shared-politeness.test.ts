import { setTimeout as sleep } from 'node:timers/promises';
import type { HostStore } from './host-store.ts';
import { describe, expect, it } from 'vitest';
import type { FetchLog } from '../fetch-types.ts';
import { createSharedPoliteness } from './shared-politeness.ts';

function nothing(): void {
  return undefined;
}
const log: FetchLog = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function storeWith(parts: Partial<HostStore>): HostStore {
  return {
    pause: async () => undefined,
    listPauses: async () => [],
    bookStart: async () => 0,
    takeSlot: async () => '1:1',
    releaseSlot: async () => undefined,
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
    const politeness = createSharedPoliteness({ store: storeWith({ listPauses }), log, pollMs: 5 });
    await expect.poll(() => asked).toBe(1);
    await sleep(60);
    expect(asked).toBe(1);
    await politeness.close();
  });

  it('sends no waiting request to a host that asked for a pause meanwhile, and releases its slot', async () => {
    const { promise: isBooked, resolve: book } = Promise.withResolvers<number>();
    const released: string[] = [];
    const store = storeWith({
      bookStart: () => isBooked,
      releaseSlot: async (host) => void released.push(host),
    });
    const politeness = createSharedPoliteness({ store, log, hostConcurrency: 1, hostRequestsPerSecond: 1 });
    const entered = politeness.enter('a.example.com', {
      accountId: 'acc_1',
      deadlineAt: Date.now() + 5_000,
      signal: new AbortController().signal,
    });
    politeness.slowDown('a.example.com', 'acc_1', 60_000);
    book(0);
    await expect(entered).rejects.toMatchObject({
      options: { detail: expect.stringContaining('asked for a pause') },
    });
    expect(released).toEqual(['a.example.com']);
    await politeness.close();
  });
});
