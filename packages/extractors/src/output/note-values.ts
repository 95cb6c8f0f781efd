import { isObject } from '@gleaner/contracts/values';
import type { ValueKind } from '@gleaner/contracts';
import { cutText, shortenText } from '@gleaner/contracts/text';
import type { Extraction, FieldReport } from '../extraction.ts';

/** What health keeps of one field's value on one page. Of rows and lists it is the first item's. */
export interface ValueNote {
  kind: ValueKind;
  /** How a text is written (`w 9, 9`), or what a boolean says; undefined for numbers. */
  shape: string | undefined;
  /** Half octaves of a number, a text's length, or a list's items. */
  size: number | undefined;
  /** 16 bits of the value: equal values have equal ones. */
  hash: number;
  /** A number, a text's length, or a list's items. */
  amount?: number | undefined;
  /** The value for people to read, shortened. */
  sample?: string | undefined;
}

/** A field's report with a note of its value, for the health of its parser. */
export interface NotedReport extends FieldReport {
  note?: ValueNote | undefined;
}

/** Fields beyond these get no note: each costs space in every delta of the health. */
const MAX_NOTES = 60;
/** Longer texts are prose: how they are written says nothing. */
const SHAPED_LENGTH = 80;
const SHAPE_LENGTH = 24;
const HASHED_LENGTH = 96;
const SAMPLE_LENGTH = 40;
/** Half octaves of the largest number that is distinguished. */
const LARGEST = 120;

/** A number, words, or white space. Other characters stand for themselves. */
const RUN = /(\d+)|(\p{L}+(?:[\s'’]+\p{L}+)*)|\s+/gu;

/** In a date the year's place shows the order. Other numbers grow: after 999 comes 1000. */
const YEAR = /^(?:19|20)\d\d$/;
const DATE = /\d[-/.]\d+[-/.]\d/;

/** `May 3, 2024` → `w 9, 9`, `2024-05-03` → `9999-9-9`: words, numbers, and the marks between them. */
export function shapeOfText(text: string): string {
  if (text.length > SHAPED_LENGTH) return 'prose';
  const isDate = DATE.test(text);
  const shape = text.replace(RUN, (_run, digits?: string, words?: string) => {
    if (digits !== undefined) return isDate && YEAR.test(digits) ? '9999' : '9';
    return words === undefined ? ' ' : 'w';
  });
  return cutText(shape, SHAPE_LENGTH);
}

/** Half octaves of a length. */
function sizeOfLength(length: number): number {
  return Math.floor(2 * Math.log2(length + 1));
}

/** The same for numbers of about the same size; zero lies between positive and negative ones. */
export function sizeOfNumber(value: number): number {
  if (value === 0) return 0;
  const halves = Math.floor(2 * Math.log2(Math.abs(value))) + LARGEST / 2;
  return Math.sign(value) * Math.min(LARGEST, Math.max(1, halves));
}

/** The least number, length or count of a size, about. */
export function leastOfSize(kind: ValueNote['kind'], size: number): number {
  if (kind !== 'number') return Math.max(0, Math.ceil(2 ** (size / 2)) - 1);
  return size === 0 ? 0 : Math.sign(size) * 2 ** ((Math.abs(size) - LARGEST / 2) / 2);
}

function hashOf(text: string): number {
  let hash = 7;
  const end = Math.min(text.length, HASHED_LENGTH);
  for (let at = 0; at < end; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 16) ^ text.length) & 0xff_ff;
}

export function noteValue(value: unknown): ValueNote | undefined {
  if (typeof value === 'string')
    return {
      kind: 'text',
      shape: shapeOfText(value),
      size: sizeOfLength(value.length),
      hash: hashOf(value),
      amount: value.length,
      sample: shortenText(value, SAMPLE_LENGTH),
    };
  if (typeof value === 'number')
    return {
      kind: 'number',
      shape: undefined,
      size: sizeOfNumber(value),
      hash: hashOf(String(value)),
      amount: value,
      sample: String(value),
    };
  if (typeof value === 'boolean')
    return { kind: 'boolean', shape: String(value), size: undefined, hash: value ? 1 : 0 };
  // Of money the amount, of a rating its value.
  if (isObject(value)) {
    const size = value['amount'] ?? ('best' in value ? value['value'] : undefined);
    return typeof size === 'number' ? noteValue(size) : undefined;
  }
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const first = noteValue(value[0]);
  // Rows are compared by their number and by their columns.
  const hash = ((first?.hash ?? 0) ^ value.length) & 0xff_ff;
  return {
    kind: 'list',
    shape: first?.shape,
    size: sizeOfLength(value.length),
    hash,
    amount: value.length,
    sample: first?.sample,
  };
}

function childOf(value: unknown, name: string): unknown {
  const holder: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;
}

function valueAt(data: unknown, path: string): unknown {
  if (!path.includes('.')) return childOf(data, path);
  let value = data;
  for (const name of path.split('.')) value = childOf(value, name);
  return value;
}

/** Adds notes of the values to the reports of an extraction. @returns these reports, changed */
export function noteValues({ data, fields }: Pick<Extraction, 'data' | 'fields'>): NotedReport[] {
  const reports: NotedReport[] = fields;
  if (data === undefined) return reports;
  const noted = Math.min(reports.length, MAX_NOTES);
  for (let index = 0; index < noted; index += 1) {
    const report = reports[index];
    if (report?.matched === true && report.value_count > 0)
      report.note = noteValue(valueAt(data, report.path));
  }
  return reports;
}
