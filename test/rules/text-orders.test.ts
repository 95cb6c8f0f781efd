import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listFiles, root } from '../../scripts/source-files.ts';

const SOURCE = /^(packages|apps)\/.*\.(ts|sql)$/;
/** A number given as text keeps its column's name, and Postgres orders by the name of an output before that of a column. */
const GIVEN = /(?<![\w:])(?:\w+\.)?(\w+)(?:::[a-z]+)*::text(?:\s+AS\s+(\w+))?\s*(?=,|\n|FROM\b|$)/g;
const ORDER = /\bORDER BY\s+([^)`]*?)(?=\bLIMIT\b|\bFOR\b|\bOFFSET\b|\bROWS\b|[)`]|$)/g;

/** The pieces of a statement, each without what stands in parentheses of its own. */
function levelsOf(text: string): string[] {
  const open = [''];
  const done: string[] = [];
  for (const sign of text)
    if (sign === '(') open.push('');
    else if (sign === ')' && open.length > 1) done.push(open.pop() ?? '');
    else open[open.length - 1] += sign;
  return [...done, ...open].flatMap((level) => level.split(/\bUNION\b|;/));
}

/** Orders of a statement by a name that its output gives as text, so that 9 comes after 37. */
function findTextOrders(statement: string): string[] {
  return levelsOf(statement).flatMap((level) => {
    const given = new Set([...level.matchAll(GIVEN)].map(([, column, name = column]) => name));
    return [...level.matchAll(ORDER)].flatMap(([, terms = '']) =>
      terms
        .split(',')
        .map((term) => term.trim().replace(/\s+(ASC|DESC|NULLS).*$/s, ''))
        .filter((term) => given.has(term)),
    );
  });
}

it('finds orders by texts of numbers', () => {
  expect(findTextOrders('SELECT no::text AS no FROM t ORDER BY no DESC LIMIT 1')).toEqual(['no']);
  expect(findTextOrders('SELECT t.no::text, a FROM t ORDER BY a, no')).toEqual(['no']);
  expect(findTextOrders('SELECT t.no::text AS no FROM t ORDER BY t.no')).toEqual([]);
  expect(findTextOrders('SELECT s.no::text AS no FROM (SELECT no FROM t ORDER BY no) s')).toEqual([]);
});

it('orders by columns, not by their texts', () => {
  const faults = listFiles()
    .filter((file) => SOURCE.test(file) && !/\.test\.|\/migrations\//.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const statements = file.endsWith('.sql') ? text.split(';') : (text.match(/`[^`]*`/g) ?? []);
      return statements.flatMap((statement) => findTextOrders(statement).map((name) => `${file}: ${name}`));
    });
  expect(faults).toEqual([]);
});
