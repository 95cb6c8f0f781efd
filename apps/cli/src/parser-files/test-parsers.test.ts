import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runHere } from '../testing/run-here.ts';
import { toJunit } from './junit.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gleaner-parsers-'));
  mkdirSync(join(root, 'parsers/products.samples'), { recursive: true });
  write('parsers/products.json', {
    name: 'products',
    schema: {
      fields: { title: 'h1', price: { css: '.price', type: 'number', required: true }, link: 'a@href' },
    },
  });
  write('parsers/products.samples/lamp.html', page('Lamp', '12.50'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function page(title: string, price: string): string {
  return `<h1>${title}</h1><p class="price">${price}</p><a href="/more">more</a>`;
}

function write(path: string, content: string | object): void {
  writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
}

function run(...args: string[]) {
  return runHere(root, { HOME: root }, ['parsers', 'test', ...args]);
}

test('parser files run over their samples, and JUnit’s XML says what failed', async () => {
  expect(await run()).toMatchObject({ code: 1, stdout: expect.stringContaining('--update') });
  expect(await run('--update')).toMatchObject({ code: 0, stdout: expect.stringContaining('written') });
  const expected = { title: 'Lamp', price: 12.5, link: '/more' };
  expect(JSON.parse(readFileSync(join(root, 'parsers/products.samples/lamp.json'), 'utf8'))).toEqual({
    expected,
  });
  expect(await run()).toMatchObject({ code: 0, stdout: 'passed\tparsers/products.json\tlamp.html\n' });

  // A field that is left out is not tested; the address makes others absolute or not, as on the service.
  write('parsers/products.samples/bowl.html', page('Bowl & <Co>', 'sold out'));
  write('parsers/products.samples/bowl.json', { url: 'https://a.example/', expected: { price: 1 } });
  write('parsers/products.samples/lamp.json', { expected: { title: 'Bowl "x"', price: 12.5 } });
  const failed = await run('--junit', 'report.xml', '--json');
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout)).toMatchObject({
    passed: 0,
    failed: 2,
    results: [
      { page: 'bowl.html', faults: [expect.stringContaining('price')] },
      { page: 'lamp.html', faults: ['title is "Lamp", expected "Bowl \\"x\\""'] },
    ],
  });
  const report = readFileSync(join(root, 'report.xml'), 'utf8');
  expect(report).toContain('<testsuite name="parsers/products.json" tests="2" failures="2"');
  expect(report).toContain('expected &quot;Bowl \\&quot;x\\&quot;&quot;');
});

test('what can’t be tested is a fault, not a success', async () => {
  rmSync(join(root, 'parsers/products.samples'), { recursive: true });
  expect(await run()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No parser file has samples'),
  });
  mkdirSync(join(root, 'parsers/products.samples'));
  write('parsers/products.samples/lamp.html', page('Lamp', '1'));
  write('parsers/products.samples/lamp.json', { title: 'Lamp' });
  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('`expected`') });
  write('parsers/products.samples/lamp.json', { expected: { title: 'Lamp' } });
  write('parsers/products.json', { name: 'x', schema: { fields: { title: '##' } } });
  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('title') });
});

test('JUnit’s XML has no character that XML forbids', () => {
  const xml = toJunit([{ suite: 'a', name: 'b', seconds: 0, faults: ['\u0000 \u001B[31m \uD800 <&>"'] }]);
  expect(xml).toContain('\uFFFD \uFFFD[31m \uFFFD &lt;&amp;&gt;&quot;');
});
