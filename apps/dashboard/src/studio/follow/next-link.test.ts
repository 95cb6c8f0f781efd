import { expect, it } from 'vitest';
import { urlsAt } from './next-link.ts';

it('reads the addresses at a path of links', () => {
  const data = {
    next: '/2',
    items: [{ link: '/a' }, { link: null }, { link: '/b', tags: ['/t'] }],
    tags: ['/x', '/y'],
  };
  expect(urlsAt(data, '$.next')).toEqual(['/2']);
  expect(urlsAt(data, '$.items[*].link')).toEqual(['/a', '/b']);
  expect(urlsAt(data, '$.items[*].tags[*]')).toEqual(['/t']);
  expect(urlsAt(data, '$.tags[*]')).toEqual(['/x', '/y']);
  expect(urlsAt(data, '$.none[*].link')).toEqual([]);
  expect(urlsAt(null, '$.next')).toEqual([]);
});
