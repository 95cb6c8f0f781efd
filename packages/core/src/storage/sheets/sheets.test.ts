import { buffer, text } from 'node:stream/consumers';
import { strToU8, zipSync } from 'fflate';
import { readXlsx, writeXlsx } from 'hucre/xlsx';
import { afterAll, expect, it } from 'vitest';
import { createSheets } from './sheets.ts';
import { SHEET_LIMITS } from './sheet-limits.ts';

const sheets = createSheets({ ...SHEET_LIMITS, maxRows: 50, maxUnpackedMb: 2 });
afterAll(() => sheets.close());
const call = { accountId: 'acc_a', signal: new AbortController().signal };

async function* inBlocks<T>(...blocks: T[]): AsyncGenerator<T, void, undefined> {
  yield* blocks;
}

function read(archive: Uint8Array, using = sheets): Promise<string> {
  return text(using.read(inBlocks(archive.subarray(0, 100), archive.subarray(100)), call));
}

it('reads the first sheet as CSV: values of formulas, dates, and as many cells in each line as the header has', async () => {
  const archive = await writeXlsx({
    sheets: [
      {
        name: 'Pages',
        rows: [
          [null, null],
          ['url', 'Price', 'note "x"', 'day', null],
          ['https://a.test/', 1.5, 'a,b\nc', new Date(Date.UTC(2026, 1, 28))],
          [],
          ['https://b.test/', true, '=1+1', new Date(Date.UTC(2026, 1, 28, 12)), 'beyond'],
          ['https://c.test/'],
        ],
        cells: new Map([['2,1', { formula: '1+2', formulaResult: 3 }]]),
      },
      { name: 'Other', rows: [['url'], ['https://other.test/']] },
    ],
  });
  expect(await read(archive)).toBe(
    [
      'url,Price,"note ""x""",day',
      'https://a.test/,3,"a,b\nc",2026-02-28',
      'https://b.test/,true,=1+1,2026-02-28T12:00:00.000Z',
      'https://c.test/,,,',
      '',
    ].join('\n'),
  );
});

it.each([2 ** 60, -(2 ** 53), 1e21])(
  'refuses a number whose digits a sheet does not keep: %d',
  async (id) => {
    const sheet = (cells: unknown[]) =>
      writeXlsx({ sheets: [{ name: 'A', rows: [['url', 'id'], cells] }] } as never);
    expect(await read(await sheet(['https://a.test/', 9007199254740991, id]))).toContain(
      'a.test/,9007199254740991',
    );
    await expect(read(await sheet(['https://a.test/', id]))).rejects.toThrow('make its cell a text');
  },
);

it('writes texts as texts, also those that begin like a formula, and numbers and booleans as such', async () => {
  const blocks = inBlocks([['=1+1', 1.5, true, null]], [['+x', -1, false, 'ü "<&']]);
  const archive = await buffer(await sheets.write(['a', 'b', 'c', 'd'], blocks, call));
  const { sheets: made } = await readXlsx(archive, { readStyles: false });
  expect(made[0]?.rows).toEqual([
    ['a', 'b', 'c', 'd'],
    ['=1+1', 1.5, true, null],
    ['+x', -1, false, 'ü "<&'],
  ]);
  const again = await read(archive);
  expect(again).toBe('a,b,c,d\n=1+1,1.5,true,\n+x,-1,false,"ü ""<&"\n');
  expect(archive.toString('latin1')).not.toContain('<f>');
});

const book = await writeXlsx({ sheets: [{ name: 'a', rows: [['url'], ['https://a.test/']] }] });

it.each<[string, () => Uint8Array | Promise<Uint8Array>, RegExp]>([
  [
    'more rows than are read',
    () => writeXlsx({ sheets: [{ name: 'a', rows: Array.from({ length: 52 }, () => ['url']) }] }),
    /more than 50 rows/,
  ],
  [
    'more bytes than are unpacked',
    () => zipSync({ 'xl/workbook.xml': strToU8('<a>'.repeat(800_000)) }, { level: 1 }),
    /larger than 2 MB/,
  ],
  [
    'a document type',
    () => zipSync({ 'xl/workbook.xml': strToU8('<!DOCTYPE a [<!ENTITY b "c">]><a/>') }),
    /document type/,
  ],
  ['another kind of archive', () => zipSync({ 'a.txt': strToU8('a') }), /can’t be read/],
  ['an archive that is cut', () => book.subarray(0, book.length / 2), /can’t be read/],
])('refuses %s', async (_name, make, detail) => {
  await expect(read(await make())).rejects.toMatchObject({
    code: 'invalid_request',
    options: { field: 'file', detail: expect.stringMatching(detail) as string },
  });
});

it('ends a process that takes too much, and one that nobody needs any more', async () => {
  const small = createSheets({ ...SHEET_LIMITS, maxMemoryMb: 20 });
  await expect(read(book, small)).rejects.toMatchObject({ options: { field: 'file' } });
  const controller = new AbortController();
  const never = async function* never(): AsyncGenerator<unknown[][], void, undefined> {
    yield [['a']];
    controller.abort(new Error('the client left'));
    yield [['b']];
  };
  await expect(sheets.write(['a'], never(), { ...call, signal: controller.signal })).rejects.toThrow(
    'the client left',
  );
});

it('refuses an export with too many rows before it answers', async () => {
  const block = Array.from({ length: 17 }, () => ['x']);
  await expect(
    sheets.write(['a'], inBlocks(...Array.from({ length: 3 }, () => block)), call),
  ).rejects.toMatchObject({
    options: { field: 'format', detail: expect.stringContaining('50 rows') as string },
  });
});

it('keeps nobody waiting for clients that send and take slowly, or take nothing', async () => {
  const { promise: never, resolve: end } = Promise.withResolvers<void>();
  const held = async function* held(): AsyncGenerator<Uint8Array, void, undefined> {
    yield book.subarray(0, 50);
    await never;
  };
  const slow = ['acc_a', 'acc_a', 'acc_b', 'acc_c'].map((accountId) =>
    text(sheets.read(held(), { ...call, accountId })).catch((error: unknown) => error),
  );
  const left = new AbortController();
  for (const accountId of ['acc_a', 'acc_b', 'acc_c'])
    await sheets.write(['a'], inBlocks([['x']]), { accountId, signal: left.signal });
  left.abort();
  const other = sheets.read(inBlocks(book), { ...call, accountId: 'acc_d' });
  expect(await text(other)).toContain('https://a.test/');
  end();
  for (const one of slow) expect(await one).toMatchObject({ code: 'invalid_request' });
});
