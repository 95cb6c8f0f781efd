import { scrape } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import { parseInput } from './call-input.ts';

it('names an unknown query parameter, which may be a part of a url that is not encoded', async () => {
  const refusal = (url: string) =>
    parseInput(scrape, { params: { parserId: 'p' }, query: { url, page: '2' } }).catch(
      (error: unknown) => error,
    );
  expect(await refusal('https://shop.example/?q=a')).toMatchObject({
    options: {
      field: 'page',
      detail: expect.stringContaining('page is not a known field; the query parameters are url, ') as string,
      hint: expect.stringContaining('url=https%3A%2F%2Fshop.example%2F%3Fq%3Da…') as string,
    },
  });
  expect(await refusal('https://shop.example/')).toMatchObject({
    options: { field: 'page', hint: undefined },
  });
});
