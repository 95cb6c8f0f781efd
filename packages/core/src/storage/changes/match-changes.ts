import type { ChangeFilter } from '@gleaner/contracts';
import { quoteLiteral } from '../databases/sql-text.ts';

type Test = NonNullable<ChangeFilter['where']>[number];

/** A value as a number; null when it is none. */
function numberOf(side: 'before' | 'after', column: string): string {
  const text = `g.${side} ->> ${quoteLiteral(column)}`;
  return `CASE WHEN ${text} ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?(e[-+]?[0-9]{1,3})?$' THEN (${text})::numeric END`;
}

/** The condition that a value differs by so much. @param difference of two numbers, more than 0 */
function isFar(difference: string, before: string, by: NonNullable<Test['by']>): string {
  const least = typeof by === 'number' ? String(by) : `abs(${before}) * ${by.slice(0, -1)} / 100`;
  return `${difference} >= ${least}`;
}

function testSql({ column, op, by, value }: Test): string {
  const [before, after] = [numberOf('before', column), numberOf('after', column)];
  if (op === 'crosses') return `(${before} < ${value}) <> (${after} < ${value})`;
  if (op === 'changed')
    return by === undefined
      ? `g.after -> ${quoteLiteral(column)} IS NOT NULL`
      : isFar(`abs(${after} - ${before})`, before, by);
  const [more, less] = op === 'rises' ? [after, before] : [before, after];
  return [`${more} > ${less}`, ...(by === undefined ? [] : [isFar(`${more} - ${less}`, before, by)])].join(
    ' AND ',
  );
}

/** The condition of SQL that a stored change `g` passes a filter. Values that aren't numbers pass no test of numbers. */
export function matchSql({ kinds, where = [] }: ChangeFilter): string {
  const wanted = kinds ?? (where.length > 0 ? ['changed'] : []);
  const ofKind = wanted.length === 0 ? 'true' : `g.kind IN (${wanted.map(quoteLiteral).join(', ')})`;
  const tests = where.map((test) => `coalesce(${testSql(test)}, false)`);
  return tests.length === 0 ? ofKind : `${ofKind} AND (g.kind <> 'changed' OR (${tests.join(' AND ')}))`;
}
