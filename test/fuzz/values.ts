import type { Dice } from './dice.ts';
import { resolve, type OpenApiDocument, type Schema } from './document.ts';

/** What exists already in the account, by the kind of its id. */
export type Known = Record<'prs' | 'job' | 'bat' | 'db' | 'crn' | 'whk' | 'dlv' | 'wfl' | 'run', string[]>;

export interface Making {
  dice: Dice;
  document: OpenApiDocument;
  known: Known;
  /** Address of a site that may be fetched. */
  siteUrl: string;
}

const DEEP = 150;

/** A value within arrays or objects, deeper than any schema. */
function nested(dice: Dice): unknown {
  let value: unknown = 1;
  for (let depth = 0; depth < DEEP; depth += 1) value = dice.chance(0.5) ? [value] : { a: value };
  return value;
}

/** A value that some program gets wrong. */
export function oddValue(dice: Dice): unknown {
  return dice.pick<() => unknown>([
    () => null,
    () => true,
    () => -1,
    () => 0,
    () => 1e308,
    () => -1e308,
    () => 2 ** 53 + 2,
    () => 2_147_483_648,
    () => 1.5,
    () => '',
    () => ' ',
    () => '\0',
    () => 'a\0b',
    () => '\ud800',
    () => 'x\udc00',
    () => '\u202e\u0000',
    () => 'é'.repeat(300),
    () => '😀',
    () => 'a'.repeat(10_000),
    () => '__proto__',
    () => 'constructor',
    () => '[object Object]',
    () => 'NaN',
    () => '1e400',
    () => '00000000000000000001',
    () => "a' OR '1'='1",
    () => '%00',
    () => '../../..',
    () => '+275760-09-13T00:00:00.001Z',
    () => 'http://',
    () => 'javascript:alert(1)',
    () => `http://[::ffff:127.0.0.1]:1/`,
    () => [],
    () => {},
    () => ({ toString: 1, constructor: 1 }),
    () => [[]],
    () => Array.from({ length: 300 }, (_, index) => index),
    () => nested(dice),
  ])();
}

const PARSER_SCHEMAS: readonly [unknown, ...unknown[]] = [
  { fields: { title: 'h1' } },
  { fields: { title: 'h1', price: { css: '.price', type: 'number' } } },
  { fields: { items: { css: 'li', take: 'all', fields: { name: { css: 'a', type: 'url' } } } } },
  { fields: { a: { xpath: '//h1', required: true }, b: { jsonld: '$..name' }, c: { const: 1 } } },
  { fields: { a: { any: [{ meta: 'og:title' }, { css: 'title' }], transform: ['upper'] } } },
];

/** Values of fields that a schema alone would never hit. */
function namedValue(name: string, { dice, known, siteUrl }: Making): unknown {
  const id = (kind: keyof Known): string | undefined =>
    known[kind].length === 0 ? undefined : known[kind][dice.below(known[kind].length)];
  switch (name) {
    case 'url':
    case 'next_url':
      return `${siteUrl}/${dice.pick(['product', 'missing', 'broken', 'picture', 'redirect'])}`;
    case 'urls':
      return Array.from({ length: dice.below(4) }, (_, index) => `${siteUrl}/product?n=${index}`);
    case 'schema':
      return dice.pick(PARSER_SCHEMAS);
    case 'html':
      return dice.pick(['<h1>Title</h1><p class=price>1,5', '<p>', '<svg><script>', 'text']);
    case 'target':
      return dice.pick<unknown>([
        { type: 'parser', parserId: id('prs') ?? 'prs_none' },
        { type: 'api', id: 'realty-details' },
      ]);
    case 'parserId':
      return id('prs');
    case 'database':
      return id('db');
    // A cursor of one list with values of another one.
    case 'cursor':
      return Buffer.from(
        JSON.stringify(
          Array.from({ length: 1 + dice.below(2) }, () =>
            dice.chance(0.5) ? dice.below(9) : oddValue(dice),
          ),
        ),
      ).toString('base64url');
    case 'schedule':
      return dice.pick(['0 3 * * *', '*/5 * * * *', '0 0 29 2 *', '@daily', '60 * * * *']);
    case 'timezone':
      return dice.pick(['Europe/Berlin', 'UTC', 'Mars/Olympus']);
    case 'connection_url':
      return 'postgres://u:p@127.0.0.1:1/d';
    // Nobody here has a browser, and no test waits for one.
    case 'useBrowser':
      return false;
    case 'waitSeconds':
      return 0;
    case 'proxy':
      return dice.pick(['default', 'hardcore', 'premium:us']);
    default:
      return undefined;
  }
}

function textOf(schema: Schema, dice: Dice): string {
  if (schema.format === 'date-time') return '2026-01-02T03:04:05.000Z';
  if (schema.format === 'uri') return 'https://example.com/';
  const words = ['a', 'name', 'de', '_url', 'parser', 'default', '-price', '{}', '{"a":1}', '2026-01-02'];
  const { pattern } = schema;
  const fitting = pattern === undefined ? words : words.filter((word) => new RegExp(pattern, 'u').test(word));
  const [first = 'a', ...rest] = fitting;
  const text = dice.pick([first, ...rest]);
  return text.padEnd(schema.minLength ?? 0, 'x');
}

/** A value that the schema mostly allows. */
export function sample(making: Making, given: Schema, name = '', depth = 0): unknown {
  const { dice, document } = making;
  const schema = resolve(document, given);
  if (depth < 6 && dice.chance(0.85)) {
    const value = namedValue(name, making);
    if (value !== undefined) return value;
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[dice.below(schema.enum.length)];
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return sample(making, options[dice.below(options.length)] ?? {}, name, depth + 1);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'object'];
  switch (types[dice.below(types.length)] ?? 'object') {
    case 'string':
      return textOf(schema, dice);
    case 'integer':
    case 'number': {
      const least = schema.minimum ?? 0;
      return least + dice.below(Math.min(100, (schema.maximum ?? 100) - least) + 1);
    }
    case 'boolean':
      return dice.chance(0.5);
    case 'null':
      return null;
    case 'array':
      if (depth > 6) return [];
      return Array.from({ length: (schema.minItems ?? 0) + dice.below(3) }, () =>
        sample(making, schema.items ?? {}, '', depth + 1),
      );
    default:
      return sampleObject(making, schema, depth);
  }
}

function sampleObject(making: Making, schema: Schema, depth: number): Record<string, unknown> {
  const { dice } = making;
  const required = new Set(schema.required);
  const value: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    if (required.has(name) || (depth < 6 && dice.chance(0.4))) {
      value[name] = sample(making, inner, name, depth + 1);
    }
  }
  if (typeof schema.additionalProperties === 'object' && depth < 6 && dice.chance(0.5)) {
    value['x-extra'] = sample(making, schema.additionalProperties, '', depth + 1);
  }
  return value;
}

/** The value with one part replaced, removed or added. */
export function mutate(dice: Dice, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || dice.chance(0.1)) return oddValue(dice);
  const isList = Array.isArray(value);
  const copy: Record<string, unknown> = { ...(value as Record<string, unknown>) };
  const names = Object.keys(copy);
  const name = names[dice.below(names.length)];
  const choice = dice.next();
  if (name === undefined || choice < 0.1) {
    copy[dice.pick(['extra', 'constructor', 'toString', '', 'a\0', 'Name', 'hasOwnProperty'])] =
      oddValue(dice);
  } else if (choice < 0.25) {
    delete copy[name];
  } else {
    copy[name] = mutate(dice, copy[name]);
  }
  return isList ? Object.values(copy) : copy;
}
