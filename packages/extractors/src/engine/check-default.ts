import type { FieldObject, FieldType } from '@gleaner/contracts';
import { shownValue } from '@gleaner/contracts/text';
import type { CompiledField } from './types.ts';

function isOfType(type: FieldType, value: unknown): boolean {
  switch (type) {
    case 'string':
    case 'html':
    case 'text':
    case 'markdown':
    case 'url': {
      return typeof value === 'string';
    }
    case 'date': {
      return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
    }
    case 'datetime': {
      return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value);
    }
    case 'number': {
      return typeof value === 'number';
    }
    case 'integer': {
      return Number.isSafeInteger(value);
    }
    case 'money': {
      const { amount, currency, ...rest } = Object(value) as Record<string, unknown>;
      const isCode = currency === null || (typeof currency === 'string' && /^[A-Z]{3}$/.test(currency));
      return typeof amount === 'number' && isCode && Object.keys(rest).length === 0;
    }
    case 'boolean': {
      return typeof value === 'boolean';
    }
    case 'table': {
      return Array.isArray(value) && value.length === 0;
    }
    case 'json': {
      return true;
    }
  }
}

/** Why the default doesn't have the field's type, which the output schema promises; undefined when it does. */
export function checkDefault(compiled: CompiledField, field: FieldObject): string | undefined {
  const { default: value } = field;
  if (value === undefined || value === null) return undefined;
  if (compiled.shape === 'list') {
    const isList = Array.isArray(value) && value.every((item) => isOfType(compiled.type, item));
    return isList ? undefined : `must be a list of values of type ${compiled.type}, not ${shownValue(value)}`;
  }
  return isOfType(compiled.type, value)
    ? undefined
    : `must be of type ${compiled.type}, not ${shownValue(value)}`;
}
