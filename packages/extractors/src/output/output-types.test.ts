import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParserSchema } from '@gleaner/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';
import { outputTypes } from './output-types.ts';

const SCHEMA: ParserSchema = {
  fields: {
    title: { css: 'h1', required: true },
    class: 'h2',
    price: { css: '.price', type: 'money' },
    stock: { css: '.stock', type: 'integer', required: true, key: true },
    weight: { css: '.none', type: 'number' },
    size: { css: '.size', assert: { enum: ['S', "M'"] }, required: true },
    tags: { css: 'li', take: 'all' },
    costs: { css: '.price', take: 'all', type: 'money' },
    has_sale: { css: '.sale', take: 'exists' },
    raw: { json: { script: '#data', path: '$' }, type: 'json' },
    table: { css: 'table', type: 'table' },
    maker: { css: '.maker', fields: { name: 'b', site: { css: 'a', type: 'url' } } },
    rows: {
      css: 'li',
      take: 'all',
      fields: { text: { css: 'i', required: true }, inner: { css: 'i', take: 'all', fields: { a: 'u' } } },
    },
    at: { css: 'time', type: 'datetime' },
  },
};
const PAGES = [
  `<h1>A</h1><h2>c</h2><b class=price>12,50 €</b><p class=stock>3<p class=size>S<li><i>x<u>y</u></i><p class=sale>
   <script id=data type=application/json>{"a": [1, null]}</script><table><tr><th>k<tr><td>v</table>
   <div class=maker><b>M</b><a href=/m></a></div><time>2026-03-03 10:00</time>`,
  "<h1>B</h1><p class=stock>0<p class=size>M'",
];
const folder = mkdtempSync(join(tmpdir(), 'gleaner-types-'));
const ROOT = join(import.meta.dirname, '../../../..');

afterAll(() => rmSync(folder, { recursive: true }));

function answers(): unknown[] {
  const parser = compileParser(SCHEMA);
  return PAGES.map((body) => {
    const extraction = extract(parser, { body, url: 'https://a.example/' });
    if (!extraction.ok) throw new Error(extraction.failure.detail);
    return extraction.data;
  });
}

/** Runs a program over a file. @returns its output and exit code */
function run(command: string, file: string, text: string, args: readonly string[] = []): string {
  const path = join(folder, file);
  writeFileSync(path, text);
  const { stdout, stderr, status } = spawnSync(command, [...args, path], { encoding: 'utf8', cwd: folder });
  return `${stdout}${stderr}${status}`;
}

const PYTHON = spawnSync('python3', ['--version']).status === 0 ? [] : ['python3'];

/** Checks a value against a type of the `typing` module. */
const CHECK = `
import json, sys, typing
def check(value, kind, at):
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any: return
    if origin is typing.Union: return any_of(value, args, at)
    if origin is list:
        assert isinstance(value, list), at
        return [check(item, args[0], at) for item in value]
    if origin is dict:
        assert isinstance(value, dict), at
        return [check(item, args[1], at) for item in value.values()]
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind)
        assert isinstance(value, dict) and set(value) == set(hints), (at, value)
        return [check(value[name], hint, at + '.' + name) for name, hint in hints.items()]
    assert isinstance(value, kind) and not (kind is int and isinstance(value, bool)), (at, value, kind)
def any_of(value, kinds, at):
    for kind in kinds:
        try: return check(value, kind, at)
        except AssertionError: pass
    raise AssertionError((at, value, kinds))
for answer in json.loads(sys.stdin.read() or '[]') or ANSWERS:
    check(answer, TheShop, 'answer')
print('ok')
`;

describe('the types of a parser’s answer', () => {
  it('compile as TypeScript and accept its answers, and nothing else', () => {
    const types = outputTypes('the shop', SCHEMA, 'typescript');
    const compile = (use: string): string =>
      run(join(ROOT, 'node_modules/.bin/tsc'), 'shop.ts', `${types}${use}`, [
        '--noEmit',
        '--strict',
        '--ignoreConfig',
      ]);
    expect(compile(`export const all: TheShop[] = ${JSON.stringify(answers())};\n`)).toBe('0');
    expect(
      compile(`export const none: TheShop = ${JSON.stringify({ ...Object(answers()[1]), stock: null })};\n`),
    ).toMatch(/stock|null/);
  });

  it.skipIf(PYTHON.length > 0)(
    'compile as Python and accept its answers, and nothing else',
    { meta: { missing: PYTHON[0] } },
    () => {
      const types = outputTypes('the shop', SCHEMA, 'python');
      const check = (values: unknown): string =>
        run(
          'python3',
          'shop.py',
          `${types}\nimport json\nANSWERS = json.loads(${JSON.stringify(JSON.stringify(values))})\n${CHECK}`,
        );
      expect(check(answers())).toBe('ok\n0');
      expect(check([{ ...Object(answers()[1]), stock: null }])).toMatch(/AssertionError.*stock/);
    },
  );

  it('have a name of the parser’s words', () => {
    const nameOf = (name: string): string | undefined =>
      /interface (\w+)/.exec(outputTypes(name, { fields: { a: 'b' } }, 'typescript'))?.[1];
    expect(['Größe & more', '3 kettles', '値段', 'products', 'HTMLPages'].map(nameOf)).toEqual([
      'GrosseMore',
      'Parser3Kettles',
      'Parser',
      'Products',
      'Htmlpages',
    ]);
  });
});
