import { invalid } from '../../platform/invalid-request.ts';
import { isObject } from '@gleaner/contracts/values';
import { cutText, findUnstorable, parseExactJson, toStorableJson, UNSTORABLE } from '@gleaner/contracts';
import { columnKind, type ColumnKind } from '../columns/columns.ts';
import { fitValue, toArrayLiteral } from '../columns/table-types.ts';
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

/** Responses contain numbers that a double can't hold as text, so filters accept text too. */
const NUMBER = /^-?\d{1,400}(\.\d{1,400})?$/;

const FLOAT = /^(double precision|real)$/;

/** @param type the column's type. Columns of floats get doubles, because Postgres can't compare them with other numbers. */
function toNumber(value: unknown, type: string): string | undefined {
  if (typeof value !== 'string') return fitValue(value, 'double precision');
  if (!NUMBER.test(value)) return undefined;
  return FLOAT.test(type) ? fitValue(Number(value), 'double precision') : value;
}

const ORDER = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in'];

interface Comparable {
  operators: readonly string[];
  /** Postgres type that a value is cast to before it is compared. */
  cast: string;
  expected: string;
  /** The value in Postgres's text form; undefined when the value has another kind. */
  fit: (value: unknown, type: string) => string | undefined;
}

const KINDS: Readonly<Record<ColumnKind, Comparable>> = {
  text: {
    operators: [...ORDER, 'contains', 'starts_with', 'is_null'],
    cast: 'text',
    expected: 'a string',
    fit: (value) => (typeof value === 'string' ? value : undefined),
  },
  number: { operators: [...ORDER, 'is_null'], cast: 'numeric', expected: 'a number', fit: toNumber },
  date: {
    operators: [...ORDER, 'is_null'],
    cast: 'date',
    expected: 'a date like 2026-01-31',
    fit: (value) => fitValue(value, 'date'),
  },
  timestamptz: {
    operators: [...ORDER, 'is_null'],
    cast: 'timestamptz',
    expected: 'a time like 2026-01-31T12:00:00Z',
    fit: (value) => fitValue(value, 'timestamptz'),
  },
  timestamp: {
    operators: [...ORDER, 'is_null'],
    cast: 'timestamp',
    expected: 'a time like 2026-01-31T12:00:00',
    fit: (value) => fitValue(value, 'timestamp'),
  },
  time: {
    operators: [...ORDER, 'is_null'],
    cast: 'time',
    expected: 'a time of day like 12:00:00',
    fit: (value) => fitValue(value, 'time'),
  },
  uuid: {
    operators: [...ORDER, 'is_null'],
    cast: 'uuid',
    expected: 'a UUID',
    fit: (value) => fitValue(value, 'uuid'),
  },
  texts: {
    operators: ['contains', 'is_null'],
    cast: 'text',
    expected: 'a string',
    fit: (value) => (typeof value === 'string' ? value : undefined),
  },
  boolean: {
    operators: ['eq', 'ne', 'is_null'],
    cast: 'boolean',
    expected: 'true or false',
    fit: (value) => fitValue(value, 'boolean'),
  },
  jsonb: { operators: ['contains', 'is_null'], cast: 'jsonb', expected: 'JSON', fit: toStorableJson },
  other: { operators: ['is_null'], cast: 'text', expected: 'nothing', fit: () => undefined },
};

function toParameter(value: unknown, { type }: ColumnInfo, field: string): string {
  const { fit, expected } = KINDS[columnKind(type)];
  // Without it the filter would match other rows.
  if (findUnstorable(value) !== undefined) throw invalid(field, UNSTORABLE);
  const fitted = fit(value, type);
  if (fitted === undefined) throw invalid(field, `must be ${expected}`);
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
  const { operators, cast, expected } = KINDS[kind];
  if (!operators.includes(operator))
    throw invalid(field, `column ${column.name} is ${column.type}: it takes ${operators.join(', ')}`);
  if (operator === 'is_null' || value === null) {
    const wanted = value === null ? operator === 'eq' : value;
    if (typeof wanted !== 'boolean' || (value === null && operator !== 'eq' && operator !== 'ne'))
      throw invalid(field, operator === 'is_null' ? 'must be true or false' : `must be ${expected}`);
    return `${name} IS ${wanted ? '' : 'NOT '}NULL`;
  }
  if (operator === 'in') {
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_IN)
      throw invalid(field, `must be a list of 1 to ${MAX_IN} values`);
    const cells = value.map((one) => toParameter(one, column, field));
    return `${name} = ANY (${add(toArrayLiteral(cells, 'text'))}::${cast}[])`;
  }
  const parameter = add(toParameter(value, column, field));
  if (operator === 'starts_with') return `starts_with(${name}, ${parameter})`;
  if (operator === 'contains') {
    if (kind === 'texts') return `${parameter} = ANY (${name})`;
    return kind === 'jsonb'
      ? `${name}::jsonb @> ${parameter}::jsonb`
      : `strpos(lower(${name}), lower(${parameter})) > 0`;
  }
  return `${name} ${COMPARISONS[operator]} ${parameter}::${cast}`;
}

function toOperators(value: unknown, kind: ColumnKind): [string, unknown][] {
  if (value === null) return [['is_null', true]];
  if (Array.isArray(value)) return [['in', value]];
  if (typeof value === 'object') return Object.entries(value);
  return kind === 'jsonb' || kind === 'texts' ? [['contains', value]] : [['eq', value]];
}

function parseFilter(text: string): [string, unknown][] {
  try {
    const parsed = parseExactJson(text);
    if (isObject(parsed)) return Object.entries(parsed);
  } catch {
    // falls through to the error below
  }
  throw invalid('filter', 'must be a JSON object like {"price": {"gte": 10}, "brand": "Acme"}');
}

/**
 * A filter as SQL, with parameters from `$1` on. Column names are looked up in the table; values are checked
 * against the column's type and passed as parameters.
 * @throws AppError invalid_request with field filter, filter.<column> or filter.<column>.<operator>
 */
export function compileFilter(filter: string | undefined, table: TableInfo): SqlCondition {
  const parameters: string[] = [];
  const add = (parameter: string): string => {
    parameters.push(parameter);
    // Sent as text, because the driver would format a boolean or JSON differently.
    return `$${parameters.length}::text`;
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
