import { expect, it } from 'vitest';
import { readPasted } from './pasted-table.ts';

it('reads a pasted CSV, and cells of a spreadsheet, with the names of their values', () => {
  expect(readPasted('SKU,url,Note\nA,https://a.test/1,"x, ""y""\nz"\r\n\nB,https://a.test/2,\n')).toEqual({
    columns: ['sku', 'note'],
    inputs: [
      { sku: 'A', url: 'https://a.test/1', note: 'x, "y"\nz' },
      { sku: 'B', url: 'https://a.test/2' },
    ],
  });
  expect(readPasted('url\tprice\nhttps://a.test/1,x\t2,5')?.inputs).toEqual([
    { url: 'https://a.test/1,x', price: '2,5' },
  ]);
});

it('leaves addresses and objects alone', () => {
  expect(readPasted('https://a.test/1?url,x\nhttps://a.test/2')).toBeUndefined();
  expect(readPasted('url\nhttps://a.test/2')).toBeUndefined();
  expect(readPasted('{"url": "https://a.test/", "sku": 1}')).toBeUndefined();
});
