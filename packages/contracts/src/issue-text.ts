import type { z } from 'zod';

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function noun(type: string): string {
  return NOUNS[type] ?? type;
}

/** zod says what came only in its message: "Invalid input: expected string, received undefined". */
function receivedOf(message: string): string {
  return /received (\S+)$/.exec(message)?.[1] ?? '';
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

function textOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'unrecognized_keys': {
      return 'is not a known field';
    }
    case 'invalid_type': {
      const received = receivedOf(issue.message);
      if (received === 'undefined') return 'is required';
      return received === '' || received === 'NaN'
        ? `must be ${noun(issue.expected)}`
        : `must be ${noun(issue.expected)}, not ${noun(received)}`;
    }
    case 'too_small': {
      if (issue.origin === 'string' && Number(issue.minimum) === 1) return 'must not be empty';
      return sizeText(issue.origin, 'at least', issue.minimum, issue.inclusive !== false);
    }
    case 'too_big': {
      return sizeText(issue.origin, 'at most', issue.maximum, issue.inclusive !== false);
    }
    case 'invalid_value': {
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    }
    case 'invalid_key': {
      return issue.issues[0]?.message ?? issue.message;
    }
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_union':
    case 'not_multiple_of': {
      return issue.message;
    }
  }
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  );
}

/** What is wrong with an input, in words, and where: `urls[17]`; an empty field is the input as a whole. */
export function describeIssue(issue: z.core.$ZodIssue): { field: string; detail: string } {
  const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  const field = pathText(unknown === undefined ? issue.path : [...issue.path, unknown]);
  return { field, detail: textOf(issue) };
}
