import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parquetParts, type TextRow } from './parquet-parts.ts';

async function write(
  columns: Parameters<typeof parquetParts>[0],
  pages: readonly (readonly TextRow[])[],
): Promise<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  for await (const part of parquetParts(columns, pagesOf(pages))) parts.push(part);
  return Uint8Array.from(Buffer.concat(parts)).buffer;
}

async function* pagesOf(pages: readonly (readonly TextRow[])[]): AsyncGenerator<readonly TextRow[]> {
  yield* pages;
}

it('gives every row back with its value or null, whatever the pages', async () => {
  const columns = [
    { name: 'a', type: 'text' },
    { name: 'b', type: 'bigint' },
    { name: 'c', type: 'boolean' },
    { name: 'd', type: 'double precision' },
    { name: 'e', type: 'numeric(10,2)' },
  ];
  const row = fc.record({
    a: fc.option(fc.string({ unit: 'grapheme' })),
    b: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    c: fc.option(fc.boolean()),
    d: fc.option(fc.double({ noNaN: true })),
    e: fc.option(fc.constantFrom('0.10', '12345678901234567890.00')),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(row, { maxLength: 5 }), { maxLength: 4 }), async (pages) => {
      const texts = pages.map((page) =>
        page.map((values) => Object.values(values).map((value) => (value === null ? null : String(value)))),
      );
      const rows = await parquetReadObjects({ file: await write(columns, texts) });
      // JSON text doesn't keep minus zero.
      const expected = pages.flat().map((values) => ({ ...values, d: values.d === 0 ? 0 : values.d }));
      expect(rows).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

it('holds a group of rows at a time', async () => {
  const page = Array.from({ length: 1_000 }, () => ['x'.repeat(1_000)]);
  let taken = 0;
  async function* endless(): AsyncGenerator<TextRow[]> {
    for (;;) {
      taken += 1;
      yield page;
    }
  }
  const parts = parquetParts([{ name: 'a', type: 'text' }], endless());
  const first = await parts.next();
  expect(first.done).toBe(false);
  expect(taken).toBeLessThanOrEqual(2);
  await parts.return();
});

it('is a file without rows when there are none', async () => {
  expect(await parquetReadObjects({ file: await write([{ name: 'a', type: 'jsonb' }], []) })).toEqual([]);
});

it('keeps no long value for the end of the file, and short bounds', async () => {
  const columns = ['text', 'jsonb', 'text'].map((type, index) => ({ name: `c${index}`, type }));
  const page = [['x'.repeat(2_000_000), JSON.stringify('y'.repeat(1_000)), 'short']];
  const { row_groups } = parquetMetadata(await write(columns, [page, page]));
  const bounds = row_groups.map((group) =>
    group.columns.map((column) => column.meta_data?.statistics?.max_value),
  );
  expect(bounds).toEqual([
    [undefined, undefined, 'short'],
    [undefined, undefined, 'short'],
  ]);
});
