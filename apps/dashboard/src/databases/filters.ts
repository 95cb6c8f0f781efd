/** One condition on a column. */
export interface Condition {
  column: string;
  operator: string;
  text: string;
}

const OPERATOR_WORDS = {
  contains: 'contains',
  starts_with: 'starts with',
  eq: 'is',
  ne: 'is not',
  gte: 'at least',
  lte: 'at most',
  gt: 'above',
  lt: 'below',
  is_null: 'is empty',
};
const ORDERED = ['eq', 'ne', 'gte', 'lte', 'gt', 'lt', 'is_null'] as const;
/** The operators that make sense for a kind of values. */
const OPERATORS = {
  boolean: ['eq', 'is_null'],
  number: ORDERED,
  time: ORDERED,
  text: ['contains', 'starts_with', 'eq', 'ne', 'is_null'],
  uuid: ['eq', 'ne', 'is_null'],
  json: ['contains', 'is_null'],
} as const satisfies Record<string, readonly (keyof typeof OPERATOR_WORDS)[]>;

/** A column with its Postgres type. */
export interface ColumnType {
  name: string;
  type: string;
}

/** The type of a column; an unknown one is taken for text. */
export function typeOfColumn(columns: readonly ColumnType[], name: string | null): string {
  return columns.find((one) => one.name === name)?.type ?? 'text';
}

/** The kind of a column's values, by its Postgres type. */
export function kindOf(type: string): keyof typeof OPERATORS {
  if (type === 'uuid') return type;
  if (/^json|\[\]$/.test(type)) return 'json';
  if (/int|numeric|double|real|decimal/.test(type)) return 'number';
  if (/bool/.test(type)) return 'boolean';
  return /date|time/.test(type) ? 'time' : 'text';
}

export function operatorsFor(type: string): { value: string; label: string }[] {
  return OPERATORS[kindOf(type)].map((value) => ({ value, label: OPERATOR_WORDS[value] }));
}

function valueOf({ operator, text }: Condition, type: string): unknown {
  if (operator === 'is_null') return true;
  const kind = kindOf(type);
  if (kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (kind === 'boolean') return text === 'true';
  return text;
}

/** The filter as the API takes it; undefined without conditions. */
export function writeFilter(
  conditions: readonly Condition[],
  columns: readonly ColumnType[],
): string | undefined {
  const filter: Record<string, Record<string, unknown>> = {};
  for (const condition of conditions) {
    const { column, operator } = condition;
    filter[column] = { ...filter[column], [operator]: valueOf(condition, typeOfColumn(columns, column)) };
  }
  return conditions.length === 0 ? undefined : JSON.stringify(filter);
}

/** A condition in words: `price at least 10`. */
export function conditionText(condition: Condition, columns: readonly ColumnType[]): string {
  const { column, operator, text } = condition;
  const known = operatorsFor(typeOfColumn(columns, column)).find(({ value }) => value === operator);
  return `${column} ${known?.label ?? operator}${operator === 'is_null' ? '' : ` ${text}`}`;
}

/** The order after a click on a column: rising, then falling, then none. */
export function nextOrder(order: string | undefined, column: string): string | undefined {
  if (order === column) return `-${column}`;
  return order === `-${column}` ? undefined : column;
}

/** The conditions of a filter that this page wrote; others of the API's forms are read where they can be. */
export function readFilter(filter: string | undefined): Condition[] {
  if (filter === undefined) return [];
  try {
    const parsed = JSON.parse(filter) as Record<string, unknown>;
    return Object.entries(parsed).flatMap(([column, value]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([operator, inner]) => ({ column, operator, text: String(inner) }))
        : [{ column, operator: 'eq', text: String(value) }],
    );
  } catch {
    return [];
  }
}

/** The columns that Gleaner adds to those of the data, such as `_url`. */
export function isOwnColumn(name: string): boolean {
  return name.startsWith('_');
}

/** The columns with the data before those that Gleaner adds: a phone shows two or three. */
export function dataFirst<Column extends { name: string }>(columns: readonly Column[]): Column[] {
  return columns.toSorted((a, b) => Number(isOwnColumn(a.name)) - Number(isOwnColumn(b.name)));
}
