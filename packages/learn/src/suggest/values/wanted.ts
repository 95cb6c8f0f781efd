import {
  readBoolean,
  createDateReader,
  type Reading,
  createNumberReader,
  readInteger,
  baseOf,
} from '@gleaner/extractors/parts';
import type { FieldType } from '@gleaner/contracts';
import { isObject } from '@gleaner/contracts/values';
import type { ExampleValue } from '../types.ts';
import { resolveUrl } from '@gleaner/html';
import type { PageModel } from '../page/page-model.ts';
import { fold } from '../page/text.ts';

export type WantedValue = string | number | boolean;

/** Knowledge about a field on one page: its value, null for no value, undefined for unknown. */
export type Known = WantedValue | null | undefined;

/** What is known of a field by page. */
export type KnownByPage = readonly Known[];

export function isScalar(value: ExampleValue | undefined): value is WantedValue {
  return value !== undefined && value !== null && typeof value !== 'object';
}

/** An example that has parts: a row of a list, or a group. */
export type ExampleRow = Extract<ExampleValue, { [name: string]: ExampleValue }>;

export function isRow(value: ExampleValue | undefined): value is ExampleRow {
  return isObject(value);
}

/** How a text becomes the value of an example; `string` is the text itself. */
export type ValueType = Extract<
  FieldType,
  'string' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime' | 'url'
>;

const readNumber = createNumberReader();

/** Other types than these keep the text. */
const READERS: Readonly<Partial<Record<ValueType, (text: string) => Reading<WantedValue>>>> = {
  number: readNumber,
  integer: (text) => readInteger(text, () => readNumber(text)),
  boolean: readBoolean,
  date: createDateReader({ kind: 'date' }),
  datetime: createDateReader({ kind: 'datetime' }),
};

/** The engine's value of a cut text; undefined where it has none. */
export function readAs(type: ValueType, text: string, model: PageModel): WantedValue | undefined {
  const read = READERS[type];
  if (read !== undefined) {
    const reading = read(text);
    return reading.state === 'value' ? reading.value : undefined;
  }
  if (type === 'url') return resolveUrl(text.trim(), baseOf(model.state));
  return text;
}

/** Whether a value equals the example, ignoring white space. */
export function isSame(read: WantedValue | undefined, wanted: WantedValue): boolean {
  if (read === undefined) return false;
  if (typeof wanted === 'string') return typeof read === 'string' && fold(read) === fold(wanted);
  return read === wanted;
}

/** The end of an address, which its relative forms share. */
export function urlTail(url: string): string {
  return url.slice(url.lastIndexOf('/', url.length - 2) + 1).slice(-24);
}

/** A price can be whole by chance, so its type is number, not integer. */
export function typeIn(type: ValueType, raw: string): ValueType {
  return type === 'integer' && /[.,]\d{1,2}(?!\d)|[$€£¥₹]/.test(raw) ? 'number' : type;
}

/** The types besides text that can convert a different text to the example. */
export function typesFor(wanted: WantedValue): ValueType[] {
  if (typeof wanted === 'number') return Number.isInteger(wanted) ? ['integer', 'number'] : ['number'];
  if (typeof wanted === 'boolean') return ['boolean'];
  if (/^\d{4}-\d{2}-\d{2}$/.test(wanted)) return ['date'];
  if (/^\d{4}-\d{2}-\d{2}T/.test(wanted)) return ['datetime'];
  return [];
}
