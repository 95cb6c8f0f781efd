/** One condition on a column. */
export interface Condition {
  column: string;
  operator: string;
  text: string;
}

export interface Operator {
  value: string;
  label: string;
  needsValue: boolean;
}

const EQUAL: Operator = { value: 'eq', label: 'is', needsValue: true };
const OTHER: Operator = { value: 'ne', label: 'is not', needsValue: true };
const IS_EMPTY: Operator = { value: 'is_null', label: 'is empty', needsValue: false };
const ORDERED: Operator[] = [
  { value: 'gte', label: 'at least', needsValue: true },
  { value: 'lte', label: 'at most', needsValue: true },
  { value: 'gt', label: 'above', needsValue: true },
  { value: 'lt', label: 'below', needsValue: true },
];
const TEXT: Operator[] = [
  { value: 'contains', label: 'contains', needsValue: true },
  { value: 'starts_with', label: 'starts with', needsValue: true },
];

/** A column with its Postgres type. */
export interface ColumnType {
  name: string;
  type: string;
}

/** The type of a column; an unknown one is taken for text. */
export function typeOfColumn(columns: readonly ColumnType[], name: string | null): string {
  return columns.find((one) => one.name === name)?.type ?? 'text';
}

function kindOf(type: string): 'number' | 'boolean' | 'time' | 'text' {
  if (/int|numeric|double|real|decimal/.test(type)) return 'number';
  if (/bool/.test(type)) return 'boolean';
  if (/date|time/.test(type)) return 'time';
  return 'text';
}

export function isBoolean(type: string): boolean {
  return kindOf(type) === 'boolean';
}

export function isNumber(type: string): boolean {
  return kindOf(type) === 'number';
}

/** The operators that make sense for a column of this Postgres type. */
export function operatorsFor(type: string): Operator[] {
  const kind = kindOf(type);
  if (kind === 'boolean') return [EQUAL, IS_EMPTY];
  if (kind === 'text') return [...TEXT, EQUAL, OTHER, IS_EMPTY];
  return [EQUAL, OTHER, ...ORDERED, IS_EMPTY];
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
