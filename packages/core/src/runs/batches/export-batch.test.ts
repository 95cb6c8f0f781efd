import { expect, it } from 'vitest';
import { toCell } from '../../storage/exports/export-file.ts';

it('protects formulas in a CSV of results and keeps plain numbers, like the export of a table', () => {
  const cells = ['-5', '+1.5', '-1,5e3', '=1+1', '-5+A1', '@x', '\n=1', 'a', -5, null, ['=1']].map((value) =>
    toCell(value),
  );
  expect(cells).toEqual(['-5', '+1.5', '-1,5e3', "'=1+1", "'-5+A1", "'@x", "'\n=1", 'a', '-5', '', '["=1"]']);
});
