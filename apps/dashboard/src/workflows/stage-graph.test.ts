import { expect, it } from 'vitest';
import { edgeOf, NODE_WIDTH, placesOf, sizeOf } from './stage-graph.tsx';
import type { Stage } from './stages.ts';

const target = { type: 'api', id: 'videosite-video' } as const;
const STAGES: Stage[] = [
  { name: 'list', target },
  { name: 'details', target, from: { stage: 'list', path: '$.items[*].url' } },
  { name: 'reviews', target, from: { stage: 'details', path: '$.reviews' } },
];

it('places stages from left to right, and on a phone from top to bottom within its width', () => {
  const wide = placesOf(STAGES, false);
  expect(new Set(wide.map(({ top }) => top)).size).toBe(1);
  expect(wide.map(({ left }) => left)).toEqual(wide.map(({ left }) => left).toSorted((a, b) => a - b));
  const narrow = placesOf(STAGES, true);
  expect(new Set(narrow.map(({ left }) => left)).size).toBe(1);
  expect(sizeOf(narrow, true).width).toBeLessThan(375 - 40);
  expect(sizeOf(narrow, true).height).toBeGreaterThan(narrow.at(-1)?.top ?? 0);
});

it('draws an arrow from one stage to the next, its label between them', () => {
  for (const isNarrow of [false, true]) {
    const [from, to] = placesOf(STAGES, isNarrow);
    if (!from || !to) throw new Error('two stages have places');
    const { line, left, top } = edgeOf(from, to, isNarrow);
    expect(line).toMatch(/^M\d+ \d+ [CL]/);
    if (isNarrow) expect([top > from.top, top < to.top]).toEqual([true, true]);
    else expect([left > from.left + NODE_WIDTH, left < to.left]).toEqual([true, true]);
  }
});
