import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Input, InputBlock } from '../submission/run-inputs.ts';
import { readCsvInputs, readNdjsonInputs } from './read-inputs.ts';

/** The bytes of a text in UTF-8, or of a file, cut at the given places. */
async function* cut(
  file: string | Buffer,
  places: readonly number[],
): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function collectInputs(blocks: AsyncIterable<InputBlock>): Promise<Input[]> {
  const inputs: Input[] = [];
  for await (const block of blocks) inputs.push(...block);
  return inputs;
}

async function collect(blocks: AsyncIterable<InputBlock>): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const block of blocks) values.push(...block.map(({ value, at }) => [at, value]));
  return values;
}

it('reads the same NDJSON for any chunks of the network', async () => {
  const line = fc.oneof(
    fc.webUrl(),
    fc.webUrl().map((url) => JSON.stringify(url)),
    fc
      .record({ url: fc.webUrl(), note: fc.string({ unit: 'grapheme' }) })
      .map((value) => JSON.stringify(value)),
    fc.constant(''),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.array(fc.nat()),
      fc.constantFrom('\n', '\r\n'),
      async (lines, places, end) => {
        const expected = lines.flatMap((text, index) => {
          if (text === '') return [];
          return [
            [index + 1, text.startsWith('"') || text.startsWith('{') ? (JSON.parse(text) as unknown) : text],
          ];
        });
        expect(await collect(readNdjsonInputs(cut(lines.join(end), places)))).toEqual(expected);
      },
    ),
  );
});

it('keeps every digit of a whole number', async () => {
  const line = '{"url": "http://a.test/", "id": 1234567890123456789}';
  expect(await collect(readNdjsonInputs(cut(line, [])))).toEqual([
    [1, { url: 'http://a.test/', id: '1234567890123456789' }],
  ]);
});

it('returns a line of invalid JSON with its fault', async () => {
  expect(await collectInputs(readNdjsonInputs(cut('{bad\n"a"b"\n\uFEFFx', [3])))).toEqual([
    { at: 1, value: '{bad', fault: 'is not JSON' },
    { at: 2, value: '"a"b"', fault: 'is not JSON' },
    { at: 3, value: 'x' },
  ]);
});

it('rejects a line with several inputs between carriage returns or tabs', async () => {
  const fault = 'contains a tab or a carriage return; each line is one input and ends with a line feed';
  const text = 'http://a.test/1\rhttp://a.test/2\nhttp://a.test/3\tname\nhttp://a.test/4\r\n';
  expect(await collectInputs(readNdjsonInputs(cut(text, [])))).toEqual([
    { at: 1, value: 'http://a.test/1\rhttp://a.test/2', fault },
    { at: 2, value: 'http://a.test/3\tname', fault },
    { at: 3, value: 'http://a.test/4' },
  ]);
});

function utf16(text: string, isBigEndian: boolean): Buffer {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
}

it.each([
  ['little', false],
  ['big', true],
])('reads UTF-16 with a byte order mark, %s endian, however it is cut', async (_name, isBigEndian) => {
  const urls = ['http://a.test/é', 'http://a.test/🙂'];
  const csv = utf16(`url\r\n${urls.join('\r\n')}\r\n`, isBigEndian);
  const ndjson = utf16(urls.join('\n'), isBigEndian);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat()), async (places) => {
      const rows = await collectInputs(readCsvInputs(cut(csv, places), true));
      expect(rows.map(({ value }) => value)).toEqual(urls);
      const lines = await collectInputs(readNdjsonInputs(cut(ndjson, places)));
      expect(lines.map(({ value }) => value)).toEqual(urls);
    }),
    { numRuns: 30 },
  );
});

it.each([
  [
    'a Latin-1 letter',
    Buffer.from('url\nhttp://a.test/caf\u00e9\n', 'latin1'),
    'the bytes after "url\\nhttp://a.test/caf" are not a character',
  ],
  [
    'a character that is cut off',
    Buffer.from('url\nhttp://a.test/caf\u00e9').subarray(0, -1),
    'it ends within a character',
  ],
])('refuses %s, and shows where', async (_name, file, fault) => {
  const refusal = {
    code: 'invalid_request',
    options: { field: 'file', detail: `the file is not UTF-8: ${fault}` },
  };
  await expect(collect(readNdjsonInputs(cut(file, [])))).rejects.toMatchObject(refusal);
  await expect(collect(readCsvInputs(cut(file, []), true))).rejects.toMatchObject(refusal);
});

it('rejects an endless line', async () => {
  await expect(collect(readNdjsonInputs(cut('x'.repeat(600_000), [290_000, 400_000])))).rejects.toThrow(
    /longer than/,
  );
});

it('reads quoted CSV with a BOM, by the header', async () => {
  const text = '\uFEFFname,url\r\n"a, ""b""",http://a.test/\r\n\r\nc,http://b.test/\r\n';
  expect(await collect(readCsvInputs(cut(text, [5, 17]), true))).toEqual([
    [2, 'http://a.test/'],
    [4, 'http://b.test/'],
  ]);
  expect(await collect(readCsvInputs(cut('q,page\nkettle,\n', []), false))).toEqual([[2, { q: 'kettle' }]]);
});

it('names the columns that addresses leave out', async () => {
  const left: unknown[] = [];
  const options = { onLeftOut: (names: readonly string[]) => left.push(names) };
  await collect(readCsvInputs(cut('Sku,URL,,brand\na,http://a.test/,x,b\n', []), true, options));
  expect(left).toEqual([['Sku', 'brand']]);
  await collect(readCsvInputs(cut('url\nhttp://a.test/\n', []), true, options));
  await collect(readCsvInputs(cut('url,sku\nhttp://a.test/,1\n', []), true, { ...options, isWhole: true }));
  await collect(readCsvInputs(cut('q,page\nkettle,\n', []), false, options));
  expect(left).toHaveLength(1);
});

it.each(['URL,name', ' name , Url ', 'name,url '])(
  'finds the column url in the header %s',
  async (header) => {
    const cells = header.startsWith('URL') ? 'http://a.test/,n' : 'n,http://a.test/';
    expect(await collect(readCsvInputs(cut(`${header}\n${cells}\n`, []), true))).toEqual([
      [2, 'http://a.test/'],
    ]);
  },
);

it.each([
  ['name,link', 'has no column url'],
  ['http://a.test/', 'has no column url'],
  ['name;url', 'commas between its columns, not semicolons'],
  ['name\turl', 'commas between its columns, not tabs'],
  ['url,URL', 'has the column url twice'],
])('refuses the header %s and shows it', async (header, reason) => {
  await expect(collect(readCsvInputs(cut(`${header}\nx,y\n`, []), true))).rejects.toMatchObject({
    code: 'invalid_request',
    options: {
      field: 'file',
      detail: `the CSV ${reason.startsWith('commas') ? 'must have ' : ''}${reason}; its first line is ${JSON.stringify(header)}`,
    },
  });
});

it('returns a CSV line with too many or too few cells with its fault, and continues', async () => {
  const text = 'name,url\na,http://a.test/,more\nb\nc,http://c.test/\n';
  expect(await collectInputs(readCsvInputs(cut(text, [9, 22]), true))).toEqual([
    { at: 2, value: 'a,http://a.test/,more', fault: 'has 3 cells, but the header has 2' },
    { at: 3, value: 'b', fault: 'has 1 cell, but the header has 2' },
    { at: 4, value: 'http://c.test/' },
  ]);
});

it('rejects a malformed CSV', async () => {
  await expect(collect(readCsvInputs(cut('url\n"a\n', []), true))).rejects.toMatchObject({
    code: 'invalid_request',
  });
});
