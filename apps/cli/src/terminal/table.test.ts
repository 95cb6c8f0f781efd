import { expect, it } from 'vitest';
import { fitTable } from './table.ts';

const ID = 'bat_01kap2v6w3h8y0qd5c9r4n7jzx';
const ROW = {
  id: ID,
  name: 'a name of some length that gives way',
  status: 'succeeded',
  mode: 'database',
  total: 1_000_000,
  succeeded: 999_999,
  failed: 1,
  credits: 999_999,
  created: '2026-11-28T22:00:00.000Z',
};

it.each([60, 80, 100, 120, 200])('identifiers are whole at %i columns, and no line is longer', (columns) => {
  const { text, leftOut } = fitTable([ROW], { columns });
  expect(text).toContain(ID);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
  const [head = ''] = text.split('\n');
  expect([...head.split(/\s+/), ...leftOut].filter((name) => !name.endsWith('…')).length).toBeLessThanOrEqual(
    9,
  );
  expect(leftOut).toEqual(Object.keys(ROW).slice(9 - leftOut.length));
});

it('a table with room is not cut', () => {
  expect(fitTable([{ name: 'x'.repeat(70) }], { columns: 80 })).toEqual({
    text: `name\n${'-'.repeat(70)}\n${'x'.repeat(70)}`,
    leftOut: [],
  });
});
