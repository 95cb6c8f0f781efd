import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { CSV_HEAD, toAtom, toCsv } from './change-formats.ts';
import type { Change } from './show-change.ts';

const CHANGES: Change[] = [
  {
    id: '7',
    kind: 'changed',
    key: { sku: '<A&1>' },
    at: '2026-11-29T10:00:00.000Z',
    run_id: 'bat_1',
    before: { price: 49, note: null },
    after: { price: 45.5, note: '=cmd()\u0000\uFFFE "x"' },
  },
  {
    id: '6',
    kind: 'removed',
    key: { sku: 'B' },
    at: '2026-11-29T11:00:00.000Z',
    run_id: null,
    before: { price: 3 },
  },
];

it('changes are lines of a spreadsheet, one for each value, that run no formula', () => {
  const [, ...lines] = parse(CSV_HEAD + toCsv(CHANGES));
  expect(lines).toEqual([
    ['7', '2026-11-29T10:00:00.000Z', 'changed', 'bat_1', '<A&1>', 'price', '49', '45.5'],
    ['7', '2026-11-29T10:00:00.000Z', 'changed', 'bat_1', '<A&1>', 'note', '', '\'=cmd()\u0000\uFFFE "x"'],
    ['6', '2026-11-29T11:00:00.000Z', 'removed', '', 'B', 'price', '3', ''],
  ]);
  expect(toCsv([])).toBe('');
});

it('an Atom feed has stable ids, and nothing of a page becomes markup', () => {
  const feed = toAtom({ feed: 'f1', title: 'shop <b>', url: 'https://g.example/?a=1&b=2', changes: CHANGES });
  expect(feed).toContain(
    '<id>urn:gleaner:f1:7</id><title>&lt;A&amp;1&gt;: price 49 → 45.5, note – → =cmd() &quot;x&quot;',
  );
  expect(feed).toContain('<title>B: gone</title>');
  expect(feed).toContain('<updated>2026-11-29T11:00:00.000Z</updated>\n<author>');
  expect(feed).toContain('href="https://g.example/?a=1&amp;b=2"');
  expect(feed).not.toMatch(/[\0\uFFFE]/);
  expect(toAtom({ feed: 'f1', title: 't', url: 'u', changes: [] })).toContain('<updated>1970');
});
