import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listFiles, root } from '../../scripts/source-files.ts';

const sources = listFiles()
  .filter((path) => /^(?:apps|packages)\/.*\.(?:ts|sql)$/.test(path))
  .filter((path) => !/\.test\.ts$|\/testing\/|\/migrations\//.test(path))
  .map((path) => ({ path, code: readFileSync(join(root, path), 'utf8') }));

it('advisory locks have names, and each name a number of its own', () => {
  const numbers = sources.flatMap(({ code }) =>
    Array.from(code.matchAll(/(?:WHEN '\w+' THEN|const \w+_LOCK =) ([\d_]+)\b/g), ([, number = '']) =>
      Number(number.replaceAll('_', '')),
    ),
  );
  expect(numbers.length).toBeGreaterThanOrEqual(5);
  expect(new Set(numbers).size).toBe(numbers.length);
  const taken = sources.flatMap(({ path, code }) =>
    Array.from(
      code.matchAll(/pg_(?:try_)?advisory_\w*lock\w*\((?<argument>(?:\$\{[\w.]+\(ENGINE\)\})?[^)]*)/g),
      (match) => ({
        path,
        argument: match.groups?.['argument'] ?? '',
      }),
    ),
  );
  expect(taken.length).toBeGreaterThanOrEqual(6);
  // Locks by text are of single tables and logins, in servers that belong to accounts too.
  const named = /^(?:(?:engine|\$\{[\w.]+\(ENGINE\)\})\.duty_lock\('\w+'|\$\{\w+_LOCK\}$|hashtextextended\()/;
  expect(taken.filter(({ argument }) => !named.test(argument))).toEqual([]);
});
