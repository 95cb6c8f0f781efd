import { shortenText } from './storable.ts';
import type { z } from 'zod';
import { nearestName } from './nearest-name.ts';

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
};

/** A type in words: `a text`. */
function typeName(type: string): string {
  return NOUNS[type] ?? type;
}

function many(count: number | bigint, one: string): string {
  return `${count} ${one}${Number(count) === 1 ? '' : 's'}`;
}

function sizeText(origin: string, bound: string, count: number | bigint, isInclusive: boolean): string {
  if (origin === 'string') return `must have ${bound} ${many(count, 'character')}`;
  if (origin === 'array' || origin === 'set') return `must have ${bound} ${many(count, 'item')}`;
  if (origin === 'object' || origin === 'record') return `must have ${bound} ${many(count, 'field')}`;
  const strictly = bound === 'at least' ? 'greater than' : 'less than';
  return `must be ${isInclusive ? bound : strictly} ${count}`;
}

/** The size that was found, or the number itself. */
function sizeFound(origin: string, value: unknown): string {
  if (value === undefined) return '';
  const isCounted = origin === 'string' || origin === 'array';
  if (!isCounted) {
    const isShort = typeof value === 'number' || (typeof value === 'string' && value.length <= 60);
    return isShort ? `, not ${value}` : '';
  }
  return typeof value === 'string' || Array.isArray(value) ? `, not ${value.length}` : '';
}

/** A sentence of a schema that says what must be there, with what is there instead. */
function withFound(message: string, value: unknown): string {
  const isOpen = message.startsWith('must be ') && !message.includes(', not ');
  return isOpen && value !== undefined ? `${message}, not ${shownValue(value)}` : message;
}

/** A short form of a value for errors, never the whole of a large one. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shortenText(value, 57));
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

function oneOf(values: readonly unknown[], value: unknown): string {
  const texts = values.map(String);
  const must = `must be ${texts.length === 1 ? '' : 'one of '}${texts.join(', ')}`;
  if (value === undefined) return must;
  const nearest = typeof value === 'string' ? nearestName(value, texts) : undefined;
  return `${must}, not ${shownValue(value)}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

/** Describes a value that fits no form: the fault within the form that it resembles, or the allowed forms. */
function unionText({ errors }: z.core.$ZodIssueInvalidUnion, value: unknown): string {
  const branches: readonly (readonly z.core.$ZodIssue[])[] = errors;
  const within = branches.find(
    ([first]) => first !== undefined && (first.path.length > 0 || first.code !== 'invalid_type'),
  );
  const [inner] = within ?? [];
  if (inner !== undefined) {
    const { field, detail } = describeIssue(inner, value);
    return field === '' ? detail : `${field}: ${detail}`;
  }
  return `must be ${typesOf(branches)}, not ${shownValue(value)}`;
}

/** The types that the alternatives of a union accept, in words. */
export function typesOf(branches: readonly (readonly z.core.$ZodIssue[])[]): string {
  const types = branches.flatMap(([first]) =>
    first?.code === 'invalid_type' ? [typeName(first.expected)] : [],
  );
  return [...new Set(types)].join(' or ');
}

function typeText({ expected, message }: z.core.$ZodIssueInvalidType, value: unknown): string {
  // zod reports the received type only in its message: "Invalid input: expected string, received undefined".
  const received = /received (\S+)$/.exec(message)?.[1] ?? '';
  if (received === 'undefined') return 'is required';
  const must = `must be ${typeName(expected)}`;
  if (value !== undefined) return `${must}, not ${shownValue(value)}`;
  // A number that is not whole is still a number.
  const isFraction = expected === 'int' && received === 'number';
  return received === '' || received === 'NaN' || isFraction ? must : `${must}, not ${typeName(received)}`;
}

/** Describes a fault. `value`: the invalid value, if it may be shown. */
export function describeIssueText(issue: z.core.$ZodIssue, value?: unknown): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return 'is not a known field';
    case 'invalid_type':
      return typeText(issue, value);
    case 'too_small':
      if (issue.origin === 'string' && Number(issue.minimum) === 1) return 'must not be empty';
      return `${sizeText(issue.origin, 'at least', issue.minimum, issue.inclusive !== false)}${sizeFound(issue.origin, value)}`;
    case 'too_big':
      return `${sizeText(issue.origin, 'at most', issue.maximum, issue.inclusive !== false)}${sizeFound(issue.origin, value)}`;
    case 'invalid_value':
      return oneOf(issue.values, value);
    case 'invalid_key':
      return issue.issues[0]?.message ?? issue.message;
    case 'invalid_union':
      // A discriminated union lists its kinds; other unions may bring their own message.
      if ('options' in issue && Array.isArray(issue.options)) return oneOf(issue.options, value);
      return issue.message === 'Invalid input' ? unionText(issue, value) : withFound(issue.message, value);
    case 'custom':
    case 'invalid_format':
      return withFound(issue.message, value);
    case 'invalid_element':
    case 'not_multiple_of':
      return issue.message;
  }
}

/** `['fields', 'price', 'css', 0]` → `fields.price.css[0]` */
export function formatFieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  );
}

/** The value at a path of an input that was not valid; undefined when there is none. */
export function foundAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, part)
        ? (inner as Record<PropertyKey, unknown>)[part]
        : undefined,
    input,
  );
}

/**
 * Describes each fault of an input with its position, such as `urls[17]`. An empty field means the whole input.
 * @param input the whole input, so that the text can show the value that was found
 */
export function describeIssue(issue: z.core.$ZodIssue, input?: unknown): { field: string; detail: string } {
  const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  const field = formatFieldPath(unknown === undefined ? issue.path : [...issue.path, unknown]);
  return { field, detail: describeIssueText(issue, foundAt(input, issue.path)) };
}
