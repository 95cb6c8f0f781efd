import { expect, it } from 'vitest';
import { clean, cleanCell } from './clean.ts';

it('removes what could steer a terminal, and keeps text and lines', () => {
  expect(clean('a\u001B[31mred\u001B[0m\nb\tc')).toBe('ared\nb\tc');
  expect(clean('\u001B]0;title\u0007x\u009B2Jy\u202Ez')).not.toMatch(/[\u0007\u001B\u009B\u202E]/);
  expect(cleanCell('two\r\nlines\tand a tab')).toBe('two lines and a tab');
});
