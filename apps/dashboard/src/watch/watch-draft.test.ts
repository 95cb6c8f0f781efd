import { expect, it } from 'vitest';
import {
  watchAlert,
  watchCron,
  watchedValue,
  watchSchema,
  watchTable,
  type WatchDraft,
} from './watch-draft.ts';

const DRAFT: WatchDraft = {
  url: 'https://www.shop.example/kettles/1',
  selector: ' .price ',
  often: '0 * * * *',
  zone: 'Europe/Berlin',
  target: undefined,
};

it('makes a parser, a table with its history, a cron and an alert that belong together', () => {
  expect(watchSchema(DRAFT.selector)).toEqual({ fields: { watched: { css: '.price', required: true } } });
  expect(watchSchema('')).toEqual({ fields: { watched: { page: 'markdown' } } });
  const table = watchTable(DRAFT.url, 'k3x9');
  expect(table).toBe('watch_shop_example_k3x9');
  expect(watchTable(`https://${'a.'.repeat(100)}example/`, 'k3x9')).toMatch(/^[a-z_][a-z0-9_]{0,62}$/);
  const cron = watchCron(DRAFT, { parserId: 'prs_1', database: 'db_1', table });
  expect(cron).toMatchObject({
    name: 'Watch shop.example/kettles/1 (.price)',
    inputs: [DRAFT.url],
    sink: { table, key: ['_url'], history: true },
  });
  const alert = watchAlert(DRAFT, { type: 'email', where: ' ada@example.com ', token: '' }, table);
  expect(alert).toMatchObject({ filter: { table }, to: { type: 'email', address: 'ada@example.com' } });
  // The first value is no news.
  expect(alert.filter?.kinds).not.toContain('new');
});

it('shows what is seen of the page now', () => {
  expect(watchedValue({ watched: '€ 49' })).toBe('€ 49');
  expect(watchedValue({ watched: null })).toBe('');
  expect(watchedValue(undefined)).toBe('');
});
