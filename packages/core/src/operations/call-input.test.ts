import { scrape } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import { parseInput } from './call-input.ts';

it('names a misspelled query parameter, and says when a url is not encoded', async () => {
  const refusal = (url: string, name: string) =>
    parseInput(scrape, { params: { parserId: 'p' }, query: { url, [name]: '2' } }).catch(
      (error: unknown) => error,
    );
  expect(await refusal('https://shop.example/?q=a', 'page')).toMatchObject({
    options: { field: 'url', detail: 'the url ended at &page, because it is not encoded' },
  });
  expect(await refusal('https://shop.example/?q=a', 'retrys')).toMatchObject({
    options: { field: 'retrys', detail: 'retrys is not a known field; did you mean retries?' },
  });
  expect(await refusal('https://shop.example/', 'page')).toMatchObject({
    options: { field: 'page', detail: expect.stringContaining('the query parameters are url, ') as string },
  });
});
