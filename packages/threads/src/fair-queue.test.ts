import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairQueue } from './fair-queue.ts';

interface Item {
  owner: string | undefined;
  id: number;
}

const owners = fc.constantFrom('a', 'b', 'c', 'd', undefined);

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('push' as const), owner: owners }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), at: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('putBack' as const) }) },
);

describe('the fair queue', () => {
  it('serves no owner twice while another one waits, and each owner in order', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const queue = createFairQueue<Item>();
        // The items that should wait, per owner in order; and per waiting owner, how often each other owner was served since.
        const waiting = new Map<string | undefined, Item[]>();
        const servedSince = new Map<string | undefined, Map<string | undefined, number>>();
        const taken: Item[] = [];
        let id = 0;
        const join = (item: Item, isFirst: boolean): void => {
          const line = waiting.get(item.owner) ?? [];
          if (line.length === 0) servedSince.set(item.owner, new Map());
          waiting.set(item.owner, isFirst ? [item, ...line] : [...line, item]);
        };
        for (const step of operations) {
          if (step.do === 'push') {
            const item = { owner: step.owner, id: (id += 1) };
            queue.push(item);
            join(item, false);
          } else if (step.do === 'putBack') {
            const item = taken.pop();
            if (item === undefined) continue;
            queue.putBack([item]);
            join(item, true);
          } else if (step.do === 'remove') {
            const item = [...waiting.values()].flat()[step.at];
            if (item === undefined) continue;
            expect(queue.remove(item)).toBe(true);
            expect(queue.remove(item)).toBe(false);
            waiting.set(
              item.owner,
              (waiting.get(item.owner) ?? []).filter((other) => other !== item),
            );
          } else {
            const item = queue.next();
            if (item === undefined) {
              expect([...waiting.values()].flat()).toEqual([]);
              continue;
            }
            queue.take(item);
            expect(item).toBe(waiting.get(item.owner)?.shift());
            taken.push(item);
            servedSince.set(item.owner, new Map());
            for (const [owner, line] of waiting) {
              if (owner === item.owner || line.length === 0) continue;
              const counts = servedSince.get(owner);
              const count = (counts?.get(item.owner) ?? 0) + 1;
              counts?.set(item.owner, count);
              expect(count).toBe(1);
            }
          }
          expect(queue.size).toBe([...waiting.values()].flat().length);
          for (const [owner, line] of waiting) expect(queue.sizeOf(owner)).toBe(line.length);
        }
        expect(new Set(queue.drain())).toEqual(new Set([...waiting.values()].flat()));
        expect(queue.next()).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it('skips an owner whose items may not be taken, and serves it next', () => {
    const queue = createFairQueue<Item>();
    const take = (mayTake?: (owner: string | undefined) => boolean): number | undefined => {
      const item = queue.next(mayTake);
      if (item !== undefined) queue.take(item);
      return item?.id;
    };
    for (const id of [1, 2, 10, 11]) queue.push({ owner: id < 10 ? 'a' : 'b', id });
    const isB = (owner: string | undefined): boolean => owner === 'b';
    expect([take(isB), take(), take(isB), take(isB), take()]).toEqual([10, 1, 11, undefined, 2]);
    expect(queue.size).toBe(0);
  });
});
