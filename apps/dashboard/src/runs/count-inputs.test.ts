import { expect, it } from 'vitest';
import { countInputs, formatOfInputs, withCommas, withoutRefused, type InputCount } from './count-inputs.ts';

async function count(text: string, checksUrls = true): Promise<InputCount | undefined> {
  let last: InputCount | undefined;
  const { signal } = new AbortController();
  for await (const next of countInputs(new Blob([text]), { checksUrls, signal })) last = next;
  return last;
}

it('counts addresses and names the lines that are none', async () => {
  expect(await count('https://a.example/1\n\nnot one\r\nhttp://b.example/é\nftp://c.example')).toEqual({
    lines: 4,
    refused: 2,
    examples: [
      { line: 3, text: 'not one' },
      { line: 5, text: 'ftp://c.example' },
    ],
    columns: [],
    isDone: true,
  });
});

it('takes the header of a CSV for none of its lines', async () => {
  expect(await count('id,url\n1,https://a.example/1\n2,https://a.example/2\n')).toMatchObject({
    lines: 2,
    refused: 0,
  });
});

it('leaves objects to the server', async () => {
  expect(await count('{"url": "https://a.example"}\n"https://b.example"')).toMatchObject({
    lines: 2,
    refused: 0,
  });
  expect(await count('anything', false)).toMatchObject({ lines: 1, refused: 0 });
});

it('leaves out the refused lines, and keeps the others as they are', () => {
  expect(withoutRefused('https://a.example/1\nnot one\n\nhttp://b.example/2')).toBe(
    'https://a.example/1\n\nhttp://b.example/2',
  );
  const csv = 'id,url\n1,https://a.example/1';
  expect(withoutRefused(csv)).toBe(csv);
});

it('names the values beside the addresses, whatever the form of the list', async () => {
  expect((await count('SKU,"url",Price (€)\n1,https://a.example/1,2'))?.columns).toEqual([
    'sku',
    'price (€)',
  ]);
  expect((await count('{"url": "https://a.example", "sku": 1}\n{"url": "x", "b": 2}\n{'))?.columns).toEqual([
    'sku',
    'b',
  ]);
  expect((await count('https://a.example/?a=1,2'))?.columns).toEqual([]);
});

it('sends a list with a header as CSV, and cells of a spreadsheet with commas', async () => {
  const pasted = withCommas('url\tnote\r\nhttps://a.example\ta, "b"');
  expect(pasted).toBe('url,note\nhttps://a.example,"a, ""b"""');
  expect(await formatOfInputs(new Blob([pasted]))).toBe('csv');
  expect(await formatOfInputs(new Blob(['https://a.example/1\n']))).toBe('txt');
  expect(withCommas('https://a.example/\t1')).toBe('https://a.example/\t1');
});

it('counts nothing of a spreadsheet', async () => {
  expect(await count('PK\u0003\u0004 xl/workbook.xml\nurl')).toMatchObject({
    lines: 0,
    refused: 0,
    isSheet: true,
  });
});
