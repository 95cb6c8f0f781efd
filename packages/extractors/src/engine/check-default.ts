import type { FieldObject, FieldType } from '@gleaner/contracts';
import { shownValue } from '@gleaner/contracts/text';
import type { CompiledField } from './types.ts';

type Test = (value: unknown) => boolean;

function isMoney(value: unknown): boolean {
  const { amount, currency, ...rest } = Object(value) as Record<string, unknown>;
  const isCode = currency === null || (typeof currency === 'string' && /^[A-Z]{3}$/.test(currency));
  return typeof amount === 'number' && isCode && Object.keys(rest).length === 0;
}

function isRating(value: unknown): boolean {
  const { value: size, best, ...rest } = Object(value) as Record<string, unknown>;
  return (
    typeof size === 'number' && (best === null || typeof best === 'number') && Object.keys(rest).length === 0
  );
}

const isText: Test = (value) => typeof value === 'string';

const IS_OF_TYPE: Readonly<Record<FieldType, Test>> = {
  string: isText,
  html: isText,
  text: isText,
  markdown: isText,
  url: isText,
  date: (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value),
  datetime: (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value),
  number: (value) => typeof value === 'number',
  integer: Number.isSafeInteger,
  money: isMoney,
  duration: (value) => typeof value === 'number' && value >= 0,
  rating: isRating,
  boolean: (value) => typeof value === 'boolean',
  table: (value) => Array.isArray(value) && value.length === 0,
  json: () => true,
};

/** Why the default doesn't have the field's type, which the output schema promises; undefined when it does. */
export function checkDefault(compiled: CompiledField, field: FieldObject): string | undefined {
  const { default: value } = field;
  if (value === undefined || value === null) return undefined;
  const { type, shape } = compiled;
  const isOfType = IS_OF_TYPE[type];
  const isFit = shape === 'list' ? Array.isArray(value) && value.every(isOfType) : isOfType(value);
  if (isFit) return undefined;
  return `must be ${shape === 'list' ? 'a list of values ' : ''}of type ${type}, not ${shownValue(value)}`;
}
