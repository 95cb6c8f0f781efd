import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { comeBackCommand } from './come-back.ts';

it('repeats the options that were given', () => {
  const options = {
    csv: true,
    ndjson: undefined,
    strict: false,
    output: 'my out.csv',
    service: 'https://a.example',
  };
  expect(comeBackCommand(['batch', 'watch', 'bat_1'], options)).toBe(
    "gleaner batch watch bat_1 --csv --output 'my out.csv' --service https://a.example",
  );
});

it('is read by a shell as it was given, whatever a file is called', () => {
  const names = fc.array(
    fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !name.includes('\0')),
    {
      minLength: 1,
      maxLength: 20,
    },
  );
  fc.assert(
    fc.property(names, (words) => {
      const command = comeBackCommand(words, {}).replace(/^gleaner /, String.raw`printf '%s\0' `);
      const { stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
      expect(stdout.split('\0').slice(0, -1)).toEqual(words);
    }),
    { numRuns: 30 },
  );
});
