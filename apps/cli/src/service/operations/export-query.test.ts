import { expect, it } from 'vitest';
import { exportQuery } from './export-query.ts';

it('asks the service for the format, compressed and with formulas when wanted', () => {
  expect(exportQuery({ format: 'csv' }, true)).toEqual({ format: 'csv' });
  expect(exportQuery({ format: 'csv', gzip: true, keepFormulas: true, output: 'a.gz' }, true)).toEqual({
    format: 'csv',
    gzip: true,
    formulas: 'keep',
  });
  expect(exportQuery({ format: 'parquet' }, false)).toEqual({ format: 'parquet' });
});

it.each([
  [{ format: 'parquet', gzip: true }, /compressed already/],
  [{ format: 'ndjson', keepFormulas: true }, /--format csv/],
  [{ format: 'parquet' }, /binary/],
  [{ format: 'csv', gzip: true, output: '-' }, /binary/],
] as const)('refuses %j on a terminal', (flags, reason) => {
  expect(() => exportQuery(flags, true)).toThrow(reason);
});
