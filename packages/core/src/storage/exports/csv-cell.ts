import { columnKind } from '../columns/column-kind.ts';

/** Characters that start a formula in a spreadsheet, including full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;
const PLAIN_NUMBER = /^[+-]?(\d+([.,]\d+)*|[.,]\d+)(e[+-]?\d+)?$/i;

/** Protects a text cell from running as a formula by a leading apostrophe. Plain numbers stay unchanged. */
export function guardFormula(text: string): string {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

/** A cell's text form for CSV. Only text, JSON and unknown types can contain a formula. */
export function toCsvCell(text: string | null, type: string): string | null {
  const kind = columnKind(type);
  return text === null || (kind !== 'text' && kind !== 'jsonb' && kind !== 'other')
    ? text
    : guardFormula(text);
}
