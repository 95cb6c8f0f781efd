import { expect, it } from 'vitest';
import { toCell } from './export-batch.ts';

it('guards formulas in a CSV of results and leaves plain numbers as they are, as the export of a table does', () => {
  const cells = ['-5', '+1.5', '-1,5e3', '=1+1', '-5+A1', '@x', '\n=1', 'a', -5, null, ['=1']].map((value) =>
    toCell(value),
  );
  expect(cells).toEqual(['-5', '+1.5', '-1,5e3', "'=1+1", "'-5+A1", "'@x", "'\n=1", 'a', '-5', '', '["=1"]']);
});
