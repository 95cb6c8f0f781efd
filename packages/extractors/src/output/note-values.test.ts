import { describe, expect, it } from 'vitest';
import { shapeOfText } from './note-values.ts';

describe('the shape of a text', () => {
  it.each([
    ['May 3, 2024', 'w 9, 9'],
    ['2024-05-03', '9999-9-9'],
    ["O'Neill & Sons", 'w & w'],
    ['l’été à Paris', 'w'],
    ['$ 1,250.00', '$ 9,9.9'],
    ['Café 12', 'w 9'],
    ['x'.repeat(81), 'prose'],
    ['', ''],
  ])('of %j is %j', (text, shape) => expect(shapeOfText(text)).toBe(shape));
});
