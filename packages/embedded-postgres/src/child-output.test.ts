import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, inject, it } from 'vitest';
import { readLines, type OutputLimits } from './child-output.ts';

async function linesOf(chunks: Iterable<string | Buffer>, limits: Partial<OutputLimits> = {}) {
  const stream = new PassThrough();
  const lines: string[] = [];
  readLines(stream, (line) => lines.push(line), limits);
  for (const chunk of chunks) if (!stream.write(chunk)) await new Promise((ok) => stream.once('drain', ok));
  stream.end();
  await finished(stream);
  await new Promise(setImmediate);
  return lines;
}

it('gives lines without their ends, also the last one and characters that two chunks share', async () => {
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
  expect(await linesOf(['a\r\nb', 'c\n', first, second, '\n\nend'])).toEqual(['a', 'bc', 'é', '', 'end']);
});

it('cuts a line that is longer than a text can be, in little memory', async () => {
  const piece = Buffer.alloc(2 ** 20, 'x');
  const before = process.memoryUsage().rss;
  function* write(): Generator<Buffer> {
    for (let count = 0; count < 560; count += 1) yield piece;
    yield Buffer.from('\nnext\n');
  }
  const lines = await linesOf(write());
  expect(lines.map((line) => line.slice(65_530))).toEqual([
    `xxxxxx … (${560 * 2 ** 20 - 65_536} more bytes)`,
    '',
  ]);
  expect(lines[1]).toBe('next');
  // Other tests share this process.
  if (inject('isLong')) expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
});

it('drops what is too much for a second, and says how much', async () => {
  const many = Array.from({ length: 50 }, (_, index) => `${index}\n`);
  expect(await linesOf(many, { linesPerSecond: 2 })).toEqual([
    '0',
    '1',
    '48 lines (88 bytes) were too many and are not logged',
  ]);
  expect(await linesOf(['abcdef\n', 'gh\n'], { bytesPerSecond: 5 })).toEqual([
    'abcdef',
    '1 lines (2 bytes) were too many and are not logged',
  ]);
});

it('is the only reader of lines of child processes', () => {
  const root = join(import.meta.dirname, '../../..');
  const sources = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /(?<!\.test)\.tsx?$/.test(path) && !path.includes('node_modules'))
      .map((path) => join(folder, path)),
  );
  const readers = sources.filter((path) =>
    /createInterface|\bstd(?:out|err)\??\.on\('data'/.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(readers.toSorted()).toEqual([
    // What a person types.
    'apps/cli/src/service/connection/account.ts',
    // Rows of its caller, within the memory of its process.
    'packages/core/src/storage/sheets/sheet.thread.ts',
    // Keeps the last 4,000 characters.
    'packages/embedded-postgres/src/initialise.ts',
  ]);
});
