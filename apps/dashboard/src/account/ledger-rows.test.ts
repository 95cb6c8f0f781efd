import { expect, it } from 'vitest';
import { ledgerRows, type Entry } from './ledger-rows.ts';

let entries = 0;
function entry(kind: Entry['kind'], credits: number, reference: string): Entry {
  entries += 1;
  return { id: `${entries}`, kind, credits, reference, created_at: `2026-01-01T00:00:${60 - entries}.000Z` };
}

it('shows a run as one line with what it used, and its entries when it is opened', () => {
  const ledger = [
    entry('release', 1, 'bat_1'),
    entry('settle', 6, 'bat_1'),
    entry('settle', 1, 'req_1'),
    entry('settle', 7, 'bat_1'),
    entry('reserve', 14, 'bat_1'),
    entry('grant', 100, 'first'),
    entry('grant', 50, 'first'),
  ];
  const shown = (opened: string[]) =>
    ledgerRows(ledger, new Set(opened)).map(({ word, credits, count, isPart }) => [
      word,
      credits,
      count,
      isPart,
    ]);
  const [run, ...others] = [
    ['Used', -13, 4, false],
    ['Used', -1, 1, false],
    ['Added', 100, 1, false],
    ['Added', 50, 1, false],
  ];
  expect(shown([])).toEqual([run, ...others]);
  expect(shown(['bat_1'])).toEqual([
    run,
    ['Given back', 1, 1, true],
    ['Used', -6, 1, true],
    ['Used', -7, 1, true],
    ['Set aside', 14, 1, true],
    ...others,
  ]);
});

it('shows what a running run set aside, and what an unpaid one gave back', () => {
  const running = ledgerRows([entry('release', 2, 'bat_2'), entry('reserve', 9, 'bat_2')], new Set());
  expect(running).toMatchObject([{ word: 'Set aside', credits: 7, isNeutral: true }]);
  const ended = ledgerRows([entry('release', 9, 'bat_3'), entry('reserve', 9, 'bat_3')], new Set());
  expect(ended).toMatchObject([{ word: 'Given back', credits: 9, isNeutral: true }]);
});
