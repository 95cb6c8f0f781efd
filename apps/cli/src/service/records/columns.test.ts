import * as contracts from '@gleaner/contracts';
import { isForPrograms, type Operation } from '@gleaner/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pick } from './columns.ts';
import { GROUPS, LISTS, type Group } from './records.ts';

interface Schema {
  type?: string;
  $ref?: string;
  $defs?: Record<string, Schema>;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'path' in value && 'answer' in value;
}

/** Lists in answers, with the schema of a record: by the path of the operation and the name of the list. */
const operations = Object.values<unknown>(contracts).filter(isOperation).filter(isForPrograms);
const lists = operations.flatMap(({ method, path, answer }) => {
  if (method !== 'GET' || !('schema' in answer)) return [];
  const whole = z.toJSONSchema(answer.schema, { unrepresentable: 'any' }) as Schema;
  return Object.entries(whole.properties ?? {}).flatMap(([name, { items }]) =>
    items === undefined ? [] : [{ path, name, record: items, whole }],
  );
});

function has(schema: Schema | undefined, path: readonly string[], whole: Schema): boolean {
  if (schema === undefined) return false;
  if (schema.$ref !== undefined) return has(whole.$defs?.[schema.$ref.split('/').at(-1) ?? ''], path, whole);
  const [name = '', ...rest] = path;
  if (path.length === 0 || schema.anyOf?.some((one) => has(one, path, whole)) === true) return true;
  // An object of any members: a parser's schema.
  if (schema.type === 'object' && schema.properties === undefined) return true;
  return schema.items ? has(schema.items, path, whole) : has(schema.properties?.[name], rest, whole);
}

function missing(columns: string, { record, whole }: { record: Schema; whole: Schema }): string[] {
  return columns.split(' ').filter((column) => {
    const source = column.replace('?', '').split('=').at(-1) ?? '';
    return !source.split('|').some((path) => has(record, path.replace('#', '').split('.'), whole));
  });
}

describe('the columns of the lists', () => {
  const groups = Object.entries<Group>(GROUPS).flatMap(([path, { columns }]) =>
    lists
      .filter((list) => columns !== undefined && list.path === `/v1/${path}`)
      .map((list) => ({ list, columns })),
  );
  const others = lists.flatMap((list) => {
    const columns = LISTS[list.name];
    // A stage is of workflow runs alone.
    return columns === undefined ? [] : [{ list, columns: columns.replace('stage? ', '') }];
  });

  it.each([...groups, ...others])('$list.path: $columns', ({ list, columns = '' }) => {
    expect(missing(columns, list)).toEqual([]);
  });

  it('are of more than ten lists', () => {
    expect(groups.length).toBeGreaterThan(7);
    expect(others.length).toBeGreaterThan(6);
    expect(missing('id nothing=counts.nothing', lists[0] ?? { record: {}, whole: {} })).toContain(
      'nothing=counts.nothing',
    );
  });
});

it('renames, counts, chooses, joins and leaves out', () => {
  const record = { a: { b: 1 }, list: [{ name: 'x' }, { name: 'y' }], is: true, none: null };
  expect(pick(record, 'b=a.b n=#list first_one=none|is names=list.name none gone?')).toEqual({
    b: 1,
    n: 2,
    'first one': 'yes',
    names: 'x → y',
    none: null,
  });
});
