import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Bundled before the tests start (test/global-setup.ts). */
const MAIN = join(import.meta.dirname, '../../../../dist/cli.js');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gleaner-extract-'));
  await writeFile(
    join(folder, 'schema.json'),
    '{"fields": {"title": "h1", "next": {"css": "a", "type": "url"}}}',
  );
  await writeFile(join(folder, 'strict.json'), '{"fields": {"price": {"css": ".price", "required": true}}}');
  await writeFile(join(folder, 'faulty.json'), '{"fields": {"a": "b[", "c": {"xpath": "//["}}}');
  await writeFile(join(folder, 'broken.json'), '{"fields": ');
  await writeFile(join(folder, 'page.html'), '<h1>Hello</h1><a href="/next">n</a>');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(
  args: readonly string[],
  input = '',
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [MAIN, 'extract', ...args], { cwd: folder });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}

describe('gleaner extract', () => {
  it('prints the data of a page as JSON', async () => {
    const { code, out, err } = await run([
      '--schema',
      'schema.json',
      'page.html',
      '--url',
      'https://a.example/b',
    ]);
    expect(JSON.parse(out)).toEqual({ title: 'Hello', next: 'https://a.example/next' });
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('reads the page from standard input', async () => {
    for (const args of [['-'], []]) {
      const { out } = await run(['--schema', 'schema.json', ...args], '<h1>Piped</h1>');
      expect(JSON.parse(out)).toEqual({ title: 'Piped', next: null });
    }
  });

  it('explains when asked to', async () => {
    const { out } = await run(['--schema', 'schema.json', '--explain', 'page.html']);
    expect(JSON.parse(out)).toMatchObject({
      data: { title: 'Hello' },
      fields: [{ path: 'title', matched: true, value_count: 1, selector: 'h1' }, { path: 'next' }],
      explain: [
        { path: 'title', sources: [{ selector: 'h1', raw: ['Hello'], won: true }] },
        { path: 'next' },
      ],
    });
  });

  it.each<[string, string[], string]>([
    [
      'a field that is missing',
      ['--schema', 'strict.json', 'page.html'],
      'price (.price): required, but nothing matched',
    ],
    [
      'a faulty schema',
      ['--schema', 'faulty.json', 'page.html'],
      'fields.a: ends before the selector does (column 3)\nfields.c.xpath',
    ],
    ['a schema that is no JSON', ['--schema', 'broken.json', 'page.html'], 'broken.json is not JSON'],
    ['a file that is not there', ['--schema', 'schema.json', 'none.html'], 'can’t read none.html'],
    ['no schema', ['page.html'], '--schema FILE or --api ID is required'],
    ['a URL that is none', ['--schema', 'schema.json', 'page.html', '--url', 'x'], '--url x is not a URL'],
  ])('says on standard error, with exit code 1: %s', async (_what, args, message) => {
    const { code, out, err } = await run(args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
    expect(err).not.toContain('    at ');
  });
});
