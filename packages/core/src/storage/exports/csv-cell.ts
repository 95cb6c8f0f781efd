import { columnKind } from '../columns/column-kind.ts';

/** What a spreadsheet takes for the beginning of a formula, full-width forms included. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;
const PLAIN_NUMBER = /^[+-]?(\d+([.,]\d+)*|[.,]\d+)(e[+-]?\d+)?$/i;

/** A text cell that no spreadsheet runs: a formula gets a leading apostrophe, a plain number stays. */
export function guardFormula(text: string): string {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

/** A cell's text form for CSV; only text, JSON and unknown types can hold a formula. */
export function toCsvCell(text: string | null, type: string): string | null {
  const kind = columnKind(type);
  return text === null || (kind !== 'text' && kind !== 'jsonb' && kind !== 'other')
    ? text
    : guardFormula(text);
}
