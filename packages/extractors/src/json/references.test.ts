import { describe, expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';
import type { Json } from './jsonpath.ts';
import { openTexts } from './nested-texts.ts';
import { resolveReferences } from './references.ts';
import { readServerComponents } from './server-components.ts';

describe('resolveReferences', () => {
  it.each<[what: string, payload: Json, value: Json]>([
    ['an object', [{ a: 1, b: 2 }, 'x', 5], { a: 'x', b: 5 }],
    ['lists', [{ a: 1, b: 2 }, [2, 2], 'x'], { a: ['x', 'x'], b: 'x' }],
    ['kinds of Nuxt', [['ShallowReactive', 1], { a: 2, b: 3 }, ['Ref', 3], 'x'], { a: 'x', b: 'x' }],
    [
      'dates',
      [{ a: 1, b: 2 }, ['Date', '2026-01-02T00:00:00.000Z'], true],
      { a: '2026-01-02T00:00:00.000Z', b: true },
    ],
    ['sets and maps', [{ a: 1, b: 2 }, ['Set', 3], ['Map', 3, 4], 'x', 7], { a: ['x'], b: { x: 7 } }],
    [
      'large numbers',
      [{ a: 1, b: 2 }, ['BigInt', '12345678901234567890'], 1],
      { a: '12345678901234567890', b: 1 },
    ],
    ['objects without a prototype', [['null', 'a', 1, 'b', 2], 'x', 'y'], { a: 'x', b: 'y' }],
    ['what JSON lacks', [{ a: -1, b: 1, c: 2 }, -3, 'x'], { a: null, b: -3, c: 'x' }],
    [
      'names in the list',
      [{ _1: 2, _3: -5 }, 'title', 'A bridge', 'none'],
      { title: 'A bridge', none: null },
    ],
    ['what holds itself', [{ a: 0, b: 1 }, [0, 2], 'x'], { a: null, b: [null, 'x'] }],
    [
      'nodes of SvelteKit',
      { type: 'data', nodes: [null, { type: 'data', data: [{ a: 1, b: 2 }, 'x', 3] }] },
      { type: 'data', nodes: [null, { type: 'data', data: { a: 'x', b: 3 } }] },
    ],
  ])('reads %s', (_what, payload, value) => {
    expect(resolveReferences(payload)).toEqual(value);
  });

  it.each<[what: string, value: Json]>([
    ['a list of objects', [{ price: 1 }, { price: 2 }, { price: 3 }]],
    ['numbers', [1, 2, 3]],
    [
      'lists of numbers',
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    ],
    ['texts in objects', [{ a: 'x' }, 'y', 'z']],
    ['a value that nothing names', [{ a: 1 }, 'x', 'y']],
    ['an object', { a: [1, 2] }],
  ])('leaves %s', (_what, value) => {
    expect(resolveReferences(value)).toBeUndefined();
  });

  it('leaves a payload that grows without bound', () => {
    const levels = Array.from({ length: 60 }, (_, at): Json => [at + 1, at + 1]);
    expect(resolveReferences([...levels, 'x'])).toBeUndefined();
    const deep = Array.from({ length: 5_000 }, (_, at): Json => [at + 1]);
    expect(resolveReferences([...deep, 'x'])).toBeUndefined();
  });
});

describe('openTexts', () => {
  it('opens JSON in texts, also in levels, and nothing else', () => {
    const inner = JSON.stringify({ b: JSON.stringify([1]) });
    expect(openTexts({ a: inner, c: '[x', d: '{0}', e: '12' })).toEqual({
      a: { b: [1] },
      c: '[x',
      d: '{0}',
      e: '12',
    });
    expect(openTexts({ a: ['x', 1] })).toBeUndefined();
  });
});

describe('readServerComponents', () => {
  const page = (...texts: string[]): string[] => [
    '(self.__next_f=self.__next_f||[]).push([0])',
    ...texts.map((text) => `self.__next_f.push([1,${JSON.stringify(text)}])`),
  ];

  it.each<[what: string, texts: string[], value: unknown]>([
    ['rows', ['0:{"a":"x"}\n'], { 0: { a: 'x' } }],
    ['a row in parts', ['0:{"a":', '"x"}\n1:"y"\n'], { 0: { a: 'x' }, 1: 'y' }],
    [
      'rows in rows',
      ['0:["$","div",null,{"children":"$L1"}]\n1:{"b":"$2"}\n2:[1]\n'],
      { 0: ['$', 'div', null, { children: { b: [1] } }] },
    ],
    ['texts', ['1:T7,é\n$2ab0:{"a":"$1"}\n'], { 0: { a: 'é\n$2ab' } }],
    ['places in rows', ['0:{"a":"$1:b:0"}\n1:{"b":["x"]}\n'], { 0: { a: 'x' } }],
    [
      'what JSON lacks',
      ['0:{"a":"$undefined","b":"$D2026-01-02","c":"$n12","d":"$$5","e":"$NaN"}\n'],
      { 0: { a: null, b: '2026-01-02', c: '12', d: '$5', e: null } },
    ],
    ['prices', ['0:{"a":"$9.99","b":"$"}\n'], { 0: { a: '$9.99', b: '$' } }],
    ['code and styles', ['2:I["a.js"]\n:HL["b.css"]\n3:E{"digest":"1"}\n0:{"a":1}\n'], { 0: { a: 1 } }],
    ['rows that hold themselves', ['0:{"a":"$0"}\n'], { 0: { a: null } }],
  ])('reads %s', (_what, texts, value) => {
    expect(readServerComponents(page(...texts))).toEqual(value);
  });

  it('reads none in other scripts', () => {
    expect(readServerComponents(['a.push([1,"0:1"])'])).toBeUndefined();
  });
});

describe('json paths', () => {
  const read = (json: { script?: string; path: string }, body: string): unknown => {
    const result = extract(compileParser({ fields: { a: { json, type: 'string' } } }), {
      body,
      url: 'https://a.example/',
    });
    return result.ok ? result.data['a'] : null;
  };
  const stream = `<script>self.__next_f.push([1,${JSON.stringify('0:["$","main",null,{"product":{"name":"Oak"}}]\n')}])</script>`;

  it.each<[what: string, json: { script?: string; path: string }, body: string, value: string]>([
    [
      'Nuxt',
      { script: '#__NUXT_DATA__', path: '$.data.product.name' },
      '<script id=__NUXT_DATA__ type="application/json">[["Reactive",1],{"data":2},{"product":3},{"name":4},"Oak"]</script>',
      'Oak',
    ],
    [
      'Nuxt anywhere',
      { script: '#__NUXT_DATA__', path: '$..name' },
      '<script id=__NUXT_DATA__ type="application/json">[{"product":1},{"name":2},"Oak"]</script>',
      'Oak',
    ],
    [
      'Nuxt by its places, as before',
      { script: '#__NUXT_DATA__', path: '$[4]' },
      '<script id=__NUXT_DATA__ type="application/json">[["Reactive",1],{"data":2},{"product":3},{"name":4},"Oak"]</script>',
      'Oak',
    ],
    [
      'React Router',
      { script: '/enqueue\\(/', path: '$.title' },
      `<script>x.enqueue("[{\\"_1\\":2},\\"title\\",\\"Oak\\"]\\n")</script>`,
      'Oak',
    ],
    ['React Server Components', { script: '/__next_f/', path: '$..product.name' }, stream, 'Oak'],
    ['them by selector', { script: 'script', path: '$..product.name' }, stream, 'Oak'],
    [
      'JSON in texts',
      { script: '#s', path: '$.state.name' },
      `<script id=s type="application/json">{"state":"{\\"name\\":\\"Oak\\"}"}</script>`,
      'Oak',
    ],
    [
      'a text as it is',
      { script: '#s', path: '$.state' },
      `<script id=s type="application/json">{"state":"{\\"name\\":\\"Oak\\"}"}</script>`,
      '{"name":"Oak"}',
    ],
    ['JSON pages with texts', { path: '$.state.name' }, '{"state":"{\\"name\\":\\"Oak\\"}"}', 'Oak'],
  ])('read %s', (_what, json, body, value) => {
    expect(read(json, body)).toBe(value);
  });
});
