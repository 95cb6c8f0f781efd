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
const EMPTY: Operator = { value: 'is_null', label: 'is empty', needsValue: false };
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

function kindOf(type: string): 'number' | 'boolean' | 'time' | 'text' {
  if (/int|numeric|double|real|decimal/.test(type)) return 'number';
  if (/bool/.test(type)) return 'boolean';
  if (/date|time/.test(type)) return 'time';
  return 'text';
}

/** The operators that make sense for a column of this Postgres type. */
export function operatorsFor(type: string): Operator[] {
  const kind = kindOf(type);
  if (kind === 'boolean') return [EQUAL, EMPTY];
  if (kind === 'text') return [...TEXT, EQUAL, OTHER, EMPTY];
  return [EQUAL, OTHER, ...ORDERED, EMPTY];
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
  typeOf: (column: string) => string,
): string | undefined {
  const filter: Record<string, Record<string, unknown>> = {};
  for (const condition of conditions) {
    const { column, operator } = condition;
    filter[column] = { ...filter[column], [operator]: valueOf(condition, typeOf(column)) };
  }
  return conditions.length === 0 ? undefined : JSON.stringify(filter);
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
