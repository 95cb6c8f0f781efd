import { expect, it } from 'vitest';
import { NO_SINK } from '../targets/sink.ts';
import { readReadings, routesOf } from './routes.ts';

it('makes routes with names of their own, the narrower first', () => {
  const read = (parser: string) => ({ ...NO_SINK, parser });
  expect(
    routesOf({
      '/p/*': { parser: 'prs_1', database: 'db_1', table: 'products' },
      '/p/*/reviews': read('prs_2'),
      '/2024/*': read('prs_3'),
      'https://b.example/p/*': read('prs_1'),
    }),
  ).toEqual([
    { name: 'p', match: 'https://b.example/p/*', target: { type: 'parser', parserId: 'prs_1' } },
    { name: 'p_reviews', match: '/p/*/reviews', target: { type: 'parser', parserId: 'prs_2' } },
    { name: 'pages', match: '/2024/*', target: { type: 'parser', parserId: 'prs_3' } },
    {
      name: 'p_2',
      match: '/p/*',
      target: { type: 'parser', parserId: 'prs_1' },
      sink: { mode: 'database', database: 'db_1', table: 'products' },
    },
  ]);
});

it('reads from an address what is a reading, and leaves out the rest', () => {
  const kept = { parser: 'prs_1', database: 'db_1', table: 'products' };
  expect(readReadings({ '/a': kept, '/b': { parser: 'prs_2' }, '/c': null, '/d': 3, '/e': {} })).toEqual({
    '/a': kept,
    '/b': { parser: 'prs_2', ...NO_SINK },
  });
  expect(readReadings('text')).toBeUndefined();
});
