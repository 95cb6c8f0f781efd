import { invalid } from '../../platform/invalid-request.ts';
import { isObject } from '@gleaner/contracts/values';
import { toStorableText, toStorableJson, cutText } from '@gleaner/contracts';
import { toArrayLiteral } from '../columns/array-literal.ts';
import { fitValue } from '../columns/fit-value.ts';
import { columnKind, type ColumnKind } from '../columns/column-kind.ts';
import { quoteIdentifier } from './sql-text.ts';
import type { ColumnInfo, TableInfo } from './table-info.ts';

/** A condition as SQL with `$n` parameters. */
export interface SqlCondition {
  text: string;
  parameters: string[];
}

const MAX_CONDITIONS = 50;
const MAX_IN = 1000;

const COMPARISONS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: 'IS DISTINCT FROM',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
};

const OPERATORS: Readonly<Record<ColumnKind, readonly string[]>> = {
  text: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'contains', 'starts_with', 'is_null'],
  number: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'is_null'],
  date: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'is_null'],
  timestamptz: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'is_null'],
  boolean: ['eq', 'ne', 'is_null'],
  jsonb: ['contains', 'is_null'],
  other: ['is_null'],
};

/** Postgres type that a value is cast to before it is compared. */
const CASTS: Readonly<Record<ColumnKind, string>> = {
  text: 'text',
  number: 'numeric',
  date: 'date',
  timestamptz: 'timestamptz',
  boolean: 'boolean',
  jsonb: 'jsonb',
  other: 'text',
};

const EXPECTED: Readonly<Record<ColumnKind, string>> = {
  text: 'a string',
  number: 'a number',
  date: 'a date like 2026-01-31',
  timestamptz: 'a time like 2026-01-31T12:00:00Z',
  boolean: 'true or false',
  jsonb: 'JSON',
  other: 'nothing',
};

/** Responses contain numbers that a double can't hold as text, so filters accept text too. */
const NUMBER = /^-?\d{1,400}(\.\d{1,400})?$/;

const FLOAT = /^(double precision|real)$/;

/** @param type the column's type. Columns of floats get doubles, because Postgres can't compare them with other numbers. */
function toNumber(value: unknown, type: string): string | undefined {
  if (typeof value !== 'string') return fitValue(value, 'double precision');
  if (!NUMBER.test(value)) return undefined;
  return FLOAT.test(type) ? fitValue(Number(value), 'double precision') : value;
}

function toParameter(value: unknown, { type }: ColumnInfo, field: string): string {
  const kind = columnKind(type);
  const fitted =
    kind === 'text'
      ? typeof value === 'string'
        ? toStorableText(value)
        : undefined
      : kind === 'number'
        ? toNumber(value, type)
        : kind === 'jsonb'
          ? toStorableJson(value)
          : kind === 'other'
            ? undefined
            : fitValue(value, kind);
  if (fitted === undefined) throw invalid(field, `must be ${EXPECTED[kind]}`);
  return fitted;
}

function compileOperator(
  column: ColumnInfo,
  operator: string,
  value: unknown,
  add: (parameter: string) => string,
): string {
  const kind = columnKind(column.type);
  const field = `filter.${column.name}.${operator}`;
  const name = quoteIdentifier(column.name);
  if (!OPERATORS[kind].includes(operator))
    throw invalid(field, `column ${column.name} is ${column.type}: it takes ${OPERATORS[kind].join(', ')}`);
  if (operator === 'is_null' || value === null) {
    const wanted = value === null ? operator === 'eq' : value;
    if (typeof wanted !== 'boolean' || (value === null && operator !== 'eq' && operator !== 'ne'))
      throw invalid(field, operator === 'is_null' ? 'must be true or false' : `must be ${EXPECTED[kind]}`);
    return `${name} IS ${wanted ? '' : 'NOT '}NULL`;
  }
  const cast = CASTS[kind];
  if (operator === 'in') {
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_IN)
      throw invalid(field, `must be a list of 1 to ${MAX_IN} values`);
    const cells = value.map((one) => toParameter(one, column, field));
    return `${name} = ANY (${add(toArrayLiteral(cells, 'text'))}::${cast}[])`;
  }
  const parameter = add(toParameter(value, column, field));
  if (operator === 'starts_with') return `starts_with(${name}, ${parameter})`;
  if (operator === 'contains') {
    return kind === 'jsonb'
      ? `${name} @> ${parameter}::jsonb`
      : `strpos(lower(${name}), lower(${parameter})) > 0`;
  }
  return `${name} ${COMPARISONS[operator]} ${parameter}::${cast}`;
}

function toOperators(value: unknown, kind: ColumnKind): [string, unknown][] {
  if (value === null) return [['is_null', true]];
  if (Array.isArray(value)) return [['in', value]];
  if (typeof value === 'object') return Object.entries(value);
  return kind === 'jsonb' ? [['contains', value]] : [['eq', value]];
}

function parseFilter(text: string): [string, unknown][] {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return Object.entries(parsed);
  } catch {
    // falls through to the error below
  }
  throw invalid('filter', 'must be a JSON object like {"price": {"gte": 10}, "brand": "Acme"}');
}

/**
 * A filter as SQL, with parameters from `$firstParameter` on. Column names are looked up in the table; values are checked
 * against the column's type and passed as parameters.
 * @throws AppError invalid_request with field filter, filter.<column> or filter.<column>.<operator>
 */
export function compileFilter(
  filter: string | undefined,
  table: TableInfo,
  firstParameter = 1,
): SqlCondition {
  const parameters: string[] = [];
  const add = (parameter: string): string => {
    parameters.push(parameter);
    // Sent as text, because the driver would format a boolean or JSON differently.
    return `$${firstParameter + parameters.length - 1}::text`;
  };
  const conditions = (filter === undefined ? [] : parseFilter(filter)).flatMap(([name, value]) => {
    const column = table.columns.find((one) => one.name === name);
    if (!column)
      throw invalid(`filter.${cutText(name, 80)}`, `table ${table.name} has no column ${cutText(name, 80)}`);
    const operators = toOperators(value, columnKind(column.type));
    if (operators.length === 0) throw invalid(`filter.${name}`, 'must contain an operator');
    return operators.map(([operator, operand]) => compileOperator(column, operator, operand, add));
  });
  if (conditions.length > MAX_CONDITIONS) throw invalid('filter', `at most ${MAX_CONDITIONS} conditions`);
  return { text: conditions.map((condition) => `(${condition})`).join(' AND ') || 'true', parameters };
}
