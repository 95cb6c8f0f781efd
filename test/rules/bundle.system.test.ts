import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

// Bundled before the tests start (test/global-setup.ts).
const dist = join(import.meta.dirname, '../../dist');

/** For each named function of a bundled file that its map knows: its name, and the line of the source that the map names. */
function functionsOf(file: string): { name: string; line: string | undefined }[] {
  const map = new SourceMap(JSON.parse(readFileSync(join(dist, `${file}.map`), 'utf8')));
  const sources = new Map<string, string[]>();
  const lineOf = (source: string, line: number): string | undefined => {
    const path = fileURLToPath(new URL(source, pathToFileURL(join(dist, file))));
    if (!sources.has(path)) sources.set(path, readFileSync(path, 'utf8').split('\n'));
    return sources.get(path)?.[line];
  };
  const lines = readFileSync(join(dist, file), 'utf8').split('\n');
  return lines.flatMap((line, index) =>
    [...line.matchAll(/\bfunction ([A-Za-z]\w{5,})\(/g)].flatMap(({ index: column, 1: name = '' }) => {
      const { originalSource, originalLine } = map.findEntry(index, column) as Partial<SourceMapping>;
      // A package has no positions: a trace names the bundle's line of it.
      if (originalSource === undefined || originalLine === undefined) return [];
      return [{ name, line: lineOf(originalSource, originalLine) }];
    }),
  );
}

it('maps each of its own functions to the line of its source, for stack traces', () => {
  const files = readdirSync(dist).filter((file) => existsSync(join(dist, `${file}.map`)));
  const functions = files.flatMap(functionsOf);
  expect(functions.length).toBeGreaterThan(3000);
  expect(functions.filter(({ name, line }) => line?.includes(name) !== true)).toEqual([]);
});
