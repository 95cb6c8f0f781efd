import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listFiles, root } from '../../scripts/source-files.ts';

/** A parameter that Postgres reads as JSON. */
const JSON_PARAMETER = /\}::(?:text::)?jsonb?\b/;

it('JSON for Postgres is made by toStorableJson', () => {
  const writers = listFiles()
    .filter((path) => /^(?:apps|packages)\/.*\.ts$/.test(path) && !/\.test\.ts$|\/testing\//.test(path))
    .map((path) => ({ path, code: readFileSync(join(root, path), 'utf8') }))
    .filter(({ code }) => JSON_PARAMETER.test(code));
  expect(writers.length).toBeGreaterThan(8);
  const careless = writers.filter(({ code }) => /\bJSON\.stringify\(|\bsql\.json\(/.test(code));
  expect(careless.map(({ path }) => path)).toEqual([]);
});
