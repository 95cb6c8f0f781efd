import { expect, it } from 'vitest';
import { arePictures, urlsAt } from './next-link.ts';

it('knows pictures by the end of their addresses', () => {
  expect(arePictures(['/i/0.svg', 'https://cdn.example/a.JPG?w=200'])).toBe(true);
  expect(arePictures(['/i/0.svg', '/p/1'])).toBe(false);
  expect(arePictures([])).toBe(false);
});

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
