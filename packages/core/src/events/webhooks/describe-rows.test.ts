import { expect, it } from 'vitest';
import { describeGroup, gather, writeLines } from './alert-text.ts';

function textOf(data: object): string {
  const { text } = {
    text: writeLines(describeGroup(gather([JSON.stringify({ type: 'rows.changed', data })])), {
      baseUrl: 'https://gleaner.example',
      escape: (given) => given.replaceAll('*', '\\*'),
      link: (url) => url,
    }),
  };
  return text.join('\n\n');
}

it('says what changed so that nobody has to open Gleaner', () => {
  const change = {
    kind: 'changed',
    key: { sku: 'Kettle A' },
    before: { price: 49, note: null },
    after: { price: 45.5, note: '**new**\n@all' },
  };
  const text = textOf({
    run_id: 'bat_1',
    database: { id: 'db_1', name: 'shop' },
    table: 'kettles',
    counts: { new: 1, changed: 12, removed: 1, returned: 0 },
    changes: [
      change,
      { kind: 'new', key: { sku: 'B', shop: 3 }, row: {} },
      { kind: 'removed', key: { sku: 'C' } },
    ],
  });
  expect(text.split('\n')).toEqual([
    'kettles: 1 new, 12 changed, 1 gone',
    '• Kettle A: price 49 → 45.5, note – → \\*\\*new\\*\\* @\u200Ball',
    '• B, 3: new',
    '• C: gone',
    'and 11 more rows',
    'https://gleaner.example/databases/db_1/kettles?tab=changes',
  ]);
});

it('names a row by its title where its key is an address, and the worst of several kinds in the title', () => {
  const key = { _url: 'http://shop.example/a' };
  const changes = [
    { kind: 'new', key, row: { ...key, name: 'Kettle A' } },
    { kind: 'removed', key, before: { ...key, price: 3, title: ' ' } },
    { kind: 'new', key: { sku: 'B' }, row: { name: 'Kettle B' } },
  ];
  const text = textOf({ table: 't', database: { id: 'd' }, counts: { new: 2, removed: 1 }, changes });
  expect(text).toContain('• Kettle A: new\n• http:');
  expect(text).toContain('• B: new');
  const events = [
    { type: 'rows.changed', data: {} },
    { type: 'cron.failed', data: {} },
    { type: 'cron.failed', data: {} },
  ];
  expect(describeGroup(gather(events.map((event) => JSON.stringify(event)))).title).toBe(
    '2 failures of crons, and another event',
  );
});

it('shows a changed text as its difference', () => {
  const before = { text: 'Kettles\nNow 49\nFree delivery' };
  const after = { text: 'Kettles\nNow 45\nFree delivery' };
  const change = { kind: 'changed', key: { _url: 'http://shop.example/a' }, before, after };
  const text = textOf({ table: 't', database: { id: 'd' }, counts: { changed: 1 }, changes: [change] });
  expect(text).toContain(': text\n− Now 49\n+ Now 45\nhttps');
});

it('keeps to ten rows, and survives what is not as it should be', () => {
  const changes = Array.from({ length: 100 }, (_, n) => ({ kind: 'new', key: { n } }));
  const text = textOf({ table: 't', database: { id: 'db_1' }, counts: { new: 3000 }, changes });
  expect(text).toContain('• 9: new\nand 2990 more rows');
  expect(text).not.toContain('• 10');
  expect(textOf({})).toContain('https://gleaner.example/databases/');
});
