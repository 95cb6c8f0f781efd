import { expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import { extract } from './extract.ts';

const seen = { css: '.seen', type: 'datetime' as const };
const day = { css: '.seen', type: 'date' as const };
const fields = {
  seen,
  about: { fields: { seen } },
  items: {
    css: '.item',
    take: 'all' as const,
    fields: {
      sku: { css: 'b', required: true, assert: { on_fail: 'drop_row' as const, pattern: '^ok' } },
      seen,
      day,
    },
  },
};

function relativeIn(html: string): unknown {
  const page = { body: html, fetchedAt: '2026-03-03T10:00:00.000Z' };
  const found = extract(compileParser({ fields }), page);
  if (!found.ok) throw new Error(found.failure.detail);
  return found.relative;
}

function item(sku: string, text: string): string {
  return `<div class="item"><b>${sku}</b><i class="seen">${text}</i></div>`;
}

it('names the values that count from the time of the fetch, with the length of their unit', () => {
  const html = `${item('ok 1', '3 hours ago')}${item('ok 2', '2026-03-01')}${item('ok 3', '1 hr 20 min ago')}`;
  expect(relativeIn(html)).toEqual({
    seen: 3_600,
    'about.seen': 3_600,
    'items.0.seen': 3_600,
    'items.0.day': 86_400,
    'items.2.seen': 60,
    'items.2.day': 86_400,
  });
});

it('leaves out rows that an assertion drops, and names none where all are absolute', () => {
  expect(relativeIn(`${item('bad', '2 days ago')}${item('ok', '2026-03-01')}`)).toEqual({
    seen: 86_400,
    'about.seen': 86_400,
  });
  expect(relativeIn(item('ok', '2026-03-01'))).toBeUndefined();
});
