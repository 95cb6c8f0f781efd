import { expect, it } from 'vitest';
import { keyFailures } from './failed-pages.tsx';

it('names each failure by its page, and numbers those of the same page', () => {
  const failure = { error: 'fetch failed', attempts: 1, fetched_by: 'http', price: 0 };
  const urls = ['https://a.example', 'https://b.example', 'https://a.example'];
  expect(keyFailures(urls.map((url) => ({ ...failure, url }))).map(({ key }) => key)).toEqual([
    'https://a.example',
    'https://b.example',
    'https://a.example 2',
  ]);
  const staged = keyFailures([
    { ...failure, url: 'https://a.example', stage: 'list' },
    { ...failure, url: 'https://a.example', stage: 'details' },
  ]);
  expect(staged.map(({ key }) => key)).toEqual(['list https://a.example', 'details https://a.example']);
});
