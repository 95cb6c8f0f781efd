import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { clean, cleanCell } from './clean.ts';
import { formatTable } from './table.ts';

it('removes what could steer a terminal, and keeps text and lines', () => {
  expect(clean('a\u001B[31mred\u001B[0m\nb\tc')).toBe('ared\nb\tc');
  expect(clean('\u001B]0;title\u0007x\u009B2Jy\u202Ez')).not.toMatch(/[\u0007\u001B\u009B\u202E]/);
  expect(cleanCell('two\r\nlines\tand a tab')).toBe('two lines and a tab');
});

it('is what every text passes: no other file of the command line writes to the terminal', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const writers = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('terminal/'))
    .filter((file) => /(stdout|stderr)\.write\(|console\./.test(readFileSync(`${root}/${file}`, 'utf8')));
  // A question before a password; the supervisor's own log.
  expect(writers.sort()).toEqual(['commands/start.ts', 'service/connection/account.ts']);
});

it.each(['\u009B2J', '\u009D0;title\u009C', '\u0085', '\u001Bc', '\r', '\u2066'])(
  'takes %j out of a table, a line and JSON',
  (sequence) => {
    const text = `a${sequence}b`;
    for (const shown of [clean(text), clean(JSON.stringify({ text })), formatTable([{ name: text }])])
      expect(shown).not.toContain(sequence);
  },
);
