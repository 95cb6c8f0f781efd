import { describe, expect, inject, it } from 'vitest';
import { compileJsonPath, queryJson, type Json } from './jsonpath.ts';

const DATA: Json = {
  shop: {
    lamps: [
      { kind: 'desk', name: 'Arc', watts: 8, price: 20.5, tags: ['new', 'led'] },
      { kind: 'floor', name: 'Bow', watts: 20, price: 80, code: 'x-1' },
      { kind: 'desk', name: 'Cap', price: 12, code: 'y-2', sale: null },
    ],
    'odd key': { "it's": true, '☺': 1 },
  },
  top: 15,
};

const LAMPS = (DATA as { shop: { lamps: Json[] } }).shop.lamps;

/** Written from the rules and examples of RFC 9535, section by section. */
const RULES: [section: string, path: string, expected: Json[]][] = [
  ['2.2 root', '$', [DATA]],
  ['2.3.1 name', '$.top', [15]],
  ['2.3.1 name in quotes', `$['shop']["odd key"]['it\\'s']`, [true]],
  ['2.3.1 escapes', String.raw`$.shop['odd key']["\u263a"]`, [1]],
  ['2.3.1 non-ASCII shorthand', `$.shop['odd key'].☺`, [1]],
  ['2.3.1 absent', '$.none', []],
  ['2.3.1 of an array', '$.shop.lamps.name', []],
  ['2.3.2 wildcard of an array', '$.shop.lamps[*].name', ['Arc', 'Bow', 'Cap']],
  ['2.3.2 wildcard of a scalar', '$.top.*', []],
  ['2.3.3 index', '$.shop.lamps[1].name', ['Bow']],
  ['2.3.3 negative index', '$.shop.lamps[-1].name', ['Cap']],
  ['2.3.3 out of range', '$.shop.lamps[9]', []],
  ['2.3.3 of an object', '$.shop[0]', []],
  ['2.3.4 slice', '$.shop.lamps[0:2].name', ['Arc', 'Bow']],
  ['2.3.4 slice with a step', '$.shop.lamps[::2].name', ['Arc', 'Cap']],
  ['2.3.4 slice backwards', '$.shop.lamps[::-1].name', ['Cap', 'Bow', 'Arc']],
  ['2.3.4 slice from the end', '$.shop.lamps[-2:].name', ['Bow', 'Cap']],
  ['2.3.4 step of zero', '$.shop.lamps[::0]', []],
  ['2.3.5 existence', '$.shop.lamps[?@.code].name', ['Bow', 'Cap']],
  ['2.3.5 existence of null', '$.shop.lamps[?@.sale].name', ['Cap']],
  ['2.3.5 not', '$.shop.lamps[?!@.code].name', ['Arc']],
  ['2.3.5 equal', `$.shop.lamps[?@.kind == 'desk'].name`, ['Arc', 'Cap']],
  ['2.3.5 not equal', `$.shop.lamps[?@.kind != "desk"].name`, ['Bow']],
  ['2.3.5 less', '$.shop.lamps[?@.price < $.top].name', ['Cap']],
  ['2.3.5 at least', '$.shop.lamps[?@.price >= 20.5].name', ['Arc', 'Bow']],
  ['2.3.5 null', '$.shop.lamps[?@.sale == null].name', ['Cap']],
  ['2.3.5 nothing equals nothing', '$.shop.lamps[?@.a == @.b].name', ['Arc', 'Bow', 'Cap']],
  ['2.3.5 other types never compare', `$.shop.lamps[?@.price < 'x']`, []],
  [
    '2.3.5 and, or, parentheses',
    `$.shop.lamps[?(@.kind == 'desk' || @.watts > 9) && @.price > 15].name`,
    ['Arc', 'Bow'],
  ],
  [
    '2.3.5 precedence',
    `$.shop.lamps[?@.kind == 'floor' || @.kind == 'desk' && @.price > 15].name`,
    ['Arc', 'Bow'],
  ],
  ['2.3.5 nested query', `$.shop.lamps[?@.tags[?@ == 'led']].name`, ['Arc']],
  ['2.3.5 filter of an object', '$.shop[?@[0]].length', []],
  ['2.4.4 length', '$.shop.lamps[?length(@.name) == 3].name', ['Arc', 'Bow', 'Cap']],
  ['2.4.4 length of a list', '$.shop.lamps[?length(@.tags) == 2].name', ['Arc']],
  ['2.4.5 count', '$.shop.lamps[?count(@.*) > 5].name', []],
  ['2.4.6 match is of the whole', `$.shop.lamps[?match(@.code, '[xy]-.')].name`, ['Bow', 'Cap']],
  ['2.4.6 match', `$.shop.lamps[?match(@.code, 'x')].name`, []],
  ['2.4.7 search is of a part', `$.shop.lamps[?search(@.code, 'x')].name`, ['Bow']],
  ['2.4.7 a faulty pattern finds nothing', `$.shop.lamps[?search(@.code, '(')]`, []],
  ['2.4.8 value', '$.shop.lamps[?value(@..watts) == 20].name', ['Bow']],
  ['2.5.1 several selectors', `$.shop.lamps[0, 2, 0].name`, ['Arc', 'Cap', 'Arc']],
  ['2.5.1 several names', `$.shop.lamps[0]['watts', 'name']`, [8, 'Arc']],
  ['2.5.2 descendants by name', '$..price', [20.5, 80, 12]],
  ['2.5.2 descendants by index', '$..[0].name', ['Arc']],
  [
    '2.5.2 descendants of all kinds',
    '$.shop.lamps[0]..*',
    ['desk', 'Arc', 8, 20.5, ['new', 'led'], 'new', 'led'],
  ],
  ['2.6 null is a value', '$.shop.lamps[2].sale', [null]],
  ['2.1.1 white space', `$ .shop [ 'lamps' ] [ 0 ] .name`, ['Arc']],
];

describe('JSONPath of RFC 9535', () => {
  it.each(RULES)('%s: %s', (_section, path, expected) => {
    expect(queryJson(compileJsonPath(path), DATA)).toEqual(expected);
  });

  it('returns the nodes themselves, not copies', () => {
    expect(queryJson(compileJsonPath('$.shop.lamps[0]'), DATA)[0]).toBe(LAMPS[0]);
  });

  it.each([
    '',
    'shop',
    '$.',
    '$.shop.',
    '$..',
    '$[',
    '$[]',
    '$[01]',
    '$[-0]',
    '$[1.0]',
    '$["a]',
    '$[?]',
    '$[?@.a = 1]',
    '$[?@.a == ]',
    '$[?(@.a]',
    '$[?length(@.a)]',
    '$[?count(1) > 0]',
    '$[?none(@.a)]',
    '$[?@.a[*] == 1]',
    '$.a b',
    ' $',
    '$ ',
    '$[9007199254740992]',
    "$['\\x']",
  ])('refuses %j with a column', (path) => {
    expect(() => compileJsonPath(path)).toThrow(expect.objectContaining({ name: 'ExpressionFault' }));
  });

  it('searches in linear time with any pattern', () => {
    const path = compileJsonPath(`$[?search(@, '(a+)+$')]`);
    const before = process.threadCpuUsage().user;
    expect(queryJson(path, [`${'a'.repeat(50_000)}b`])).toEqual([]);
    if (inject('isLong')) expect(process.threadCpuUsage().user - before).toBeLessThan(2_000_000);
  });
});
