import { expect, it } from 'vitest';
import { createChunkLimit, type ChunkLimit, type LoopLoad } from './chunk-limit.ts';

function afterEach(limit: ChunkLimit, loads: readonly Partial<LoopLoad>[]): number[] {
  return loads.map((load) => {
    limit.adjust({ utilization: 0.9, used: limit.current(), interactive: 1, ...load });
    return limit.current();
  });
}

it('limits nothing while no interactive request comes, and while the loop has time', () => {
  const limit = createChunkLimit(64);
  expect(limit.current()).toBe(Infinity);
  expect(afterEach(limit, [{ interactive: 0 }, { utilization: 0.3 }, { utilization: 0.5 }])).toEqual([
    Infinity,
    Infinity,
    Infinity,
  ]);
});

it('falls from what is in use while the loop is busy, down to one, and rises when the loop has time', () => {
  const limit = createChunkLimit(64);
  expect(afterEach(limit, [{ used: 10 }, {}, {}, {}, {}, {}])).toEqual([7, 4, 2, 1, 1, 1]);
  expect(afterEach(limit, [{ utilization: 0.5 }, { utilization: 0.3 }, { utilization: 0.3 }])).toEqual([
    1, 2, 3,
  ]);
  expect(afterEach(limit, [{ interactive: 0 }])).toEqual([Infinity]);
});

it('lets a burst begin with few chunks, and has no limit for chunks that run already', () => {
  const limit = createChunkLimit(64);
  const calm = { utilization: 0.1 };
  expect(afterEach(limit, [{ ...calm, used: 0 }, calm, calm, calm, calm])).toEqual([2, 3, 4, 5, 7]);
  expect(afterEach(createChunkLimit(64), [{ ...calm, used: 40 }])).toEqual([Infinity]);
  expect(afterEach(createChunkLimit(64), [{ ...calm, used: 20 }])).toEqual([40]);
});

it('remembers for a while how many chunks ran', () => {
  const limit = createChunkLimit(64);
  const calm = { utilization: 0.5 };
  expect(
    afterEach(limit, [
      { ...calm, used: 30 },
      { ...calm, used: 2 },
      { ...calm, used: 2 },
    ]),
  ).toEqual([60, 48, 39]);
});

it('ends above its most', () => {
  const limit = createChunkLimit(8);
  expect(afterEach(limit, [{ used: 10 }, { utilization: 0 }])).toEqual([7, Infinity]);
});

it('lets as many chunks run as there are interactive requests', () => {
  const limit = createChunkLimit(64);
  expect(
    afterEach(limit, [
      { used: 64, interactive: 5 },
      { interactive: 5, used: 6 },
    ]),
  ).toEqual([44, 5]);
  expect(afterEach(limit, [{ interactive: 90 }])).toEqual([Infinity]);
});
