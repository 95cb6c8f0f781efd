import { readBoolean } from '../../values/boolean.ts';
import { createDateReader } from '../../values/date.ts';
import { createNumberReader, readInteger } from '../../values/number.ts';
import type { FieldType } from '@gleaner/contracts';
import { baseOf } from '../../engine/page-state.ts';
import { resolveUrl } from '../page/dom.ts';
import type { PageModel } from '../page/page-model.ts';
import { fold } from '../page/text.ts';

export type WantedValue = string | number | boolean;

/** How a text becomes the value of an example; `string` is the text itself. */
export type ValueType = Extract<
  FieldType,
  'string' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime' | 'url'
>;

const readNumber = createNumberReader();
const readDate = createDateReader({ kind: 'date', locale: undefined, format: undefined });
const readDatetime = createDateReader({ kind: 'datetime', locale: undefined, format: undefined });

/** The engine's value of a cut text; undefined where it has none. */
export function readAs(type: ValueType, text: string, model: PageModel): WantedValue | undefined {
  const reading =
    type === 'number'
      ? readNumber(text)
      : type === 'integer'
        ? readInteger(text, () => readNumber(text))
        : type === 'boolean'
          ? readBoolean(text)
          : type === 'date'
            ? readDate(text)
            : type === 'datetime'
              ? readDatetime(text)
              : undefined;
  if (reading !== undefined) return reading.state === 'value' ? reading.value : undefined;
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
