import { columnKind } from '../columns/columns.ts';

/**
 * The expression for the text form of a value, which readCell reads. Infinite times and times BC have no ISO 8601 form and
 * stay in Postgres's format.
 * @param expression the value, for example a quoted column
 */
export function cellText(expression: string, type: string): string {
  if (columnKind(type) === 'texts') return `array_to_json(${expression})::text`;
  return columnKind(type) === 'timestamptz'
    ? `CASE WHEN ${expression} >= '0001-01-01Z' AND ${expression} < 'infinity'
        THEN to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ELSE ${expression}::text END`
    : `${expression}::text`;
}
