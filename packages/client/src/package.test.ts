import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildClient } from '../../../scripts/build-client.ts';

/** The whole client with its one dependency, minified, as a browser gets it. */
const MOST_GZIP_BYTES = 15 * 1024;

const folder = mkdtempSync(join(tmpdir(), 'gleaner-client-'));
const built = join(folder, 'package');

beforeAll(() => buildClient(built));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('publint finds nothing to mend', async () => {
  const { messages } = await publint({ pkgDir: built, strict: true, pack: false });
  expect(messages).toEqual([]);
});

test('its types resolve as its code does, in Node and in bundlers', async () => {
  const packed = spawnSync('npm', ['pack', '--pack-destination', folder, built], { encoding: 'utf8' });
  expect(packed.status, packed.stderr).toBe(0);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const result = await checkPackage(createPackageFromTarballData(readFileSync(join(folder, tarball))));
  expect(result.types).toMatchObject({ kind: 'included' });
  // Modules alone: CommonJS requires them from Node 22 on, and a resolver that knows no `exports` finds nothing.
  const outside = new Set(['CJSResolvesToESM', 'NoResolution']);
  const problems = 'problems' in result ? result.problems : [];
  const ours = problems.filter(
    (problem) =>
      !outside.has(problem.kind) ||
      ('resolutionKind' in problem && !['node10', 'node16-cjs'].includes(problem.resolutionKind)),
  );
  expect(ours).toEqual([]);
});

test('it brings no zod, no contracts and no Node module along, and is small', async () => {
  const names = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(js|d\.ts)$/.test(name),
  );
  for (const name of names) {
    const imported = readFileSync(join(built, name), 'utf8').matchAll(/\bfrom ['"]([^'"]+)['"]/g);
    for (const [, specifier = ''] of imported)
      expect(specifier, name).toMatch(/^(\.{1,2}\/[^']+\.js|eventsource-parser)$/);
  }
  const bundle = await rolldown({
    input: join(built, 'index.js'),
    platform: 'neutral',
    resolve: {
      mainFields: ['module', 'main'],
      modules: [join(import.meta.dirname, '../../../node_modules')],
    },
  });
  const { output } = await bundle.generate({ minify: true });
  const [{ code, imports }] = output;
  expect(imports).toEqual([]);
  const gzip = gzipSync(code).length;
  console.log(
    `client: ${code.length} bytes minified, ${gzip} gzip, ${brotliCompressSync(code).length} brotli`,
  );
  expect(gzip).toBeLessThan(MOST_GZIP_BYTES);
});
