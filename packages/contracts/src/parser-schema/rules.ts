import type { z } from 'zod';
import { SECOND_COLUMNS, SOURCE_KINDS } from '../values/index.ts';
import type { FieldObject, Fields } from './field-shape.ts';

type Context = z.core.$RefinementCtx<FieldObject>;

/** The most characters of a column's name. */
const MOST_NAME = 63;

/** The beginning of the fault of a field without a source. */
export const NO_SOURCE = 'has no source';

const DOM_KINDS = new Set<string>(['css', 'xpath']);

function sourceKindsOf(field: FieldObject): string[] {
  return [
    ...SOURCE_KINDS.filter((kind) => field[kind] !== undefined),
    ...(field.any === undefined ? [] : ['any']),
  ];
}

function checkSource(field: FieldObject, context: Context): void {
  const kinds = sourceKindsOf(field);
  if (kinds.length > 1) {
    context.addIssue({
      code: 'custom',
      path: [kinds[1] ?? ''],
      message: `is given together with ${kinds[0]}, but a field has one source; list several sources under any`,
    });
  }
  if (kinds.length === 0 && field.fields === undefined) {
    context.addIssue({
      code: 'custom',
      message: `${NO_SOURCE}: give one of ${[...SOURCE_KINDS, 'any'].join(', ')}, or fields`,
    });
  }
  const isDom = kinds.every((kind) => DOM_KINDS.has(kind) || kind === 'any');
  if (!isDom || kinds.length === 0)
    refuse(field, context, ['attr', 'sibling'], 'can only be used with css, xpath or any');
}

function refuse(
  field: FieldObject,
  context: Context,
  keys: readonly (keyof FieldObject)[],
  why: string,
): void {
  for (const key of keys) {
    if (field[key] !== undefined) context.addIssue({ code: 'custom', path: [key], message: why });
  }
}

function checkShape(field: FieldObject, context: Context): void {
  const isCounted = field.take === 'count' || field.take === 'exists';
  if (field.fields !== undefined) {
    refuse(
      field,
      context,
      ['type', 'attr', 'transform', 'locale', 'format', 'default', 'key'],
      'cannot be combined with fields, which give an object',
    );
    if (isCounted) refuse(field, context, ['take'], 'must be first or all with fields, which give an object');
    if (sourceKindsOf(field).length === 0) {
      refuse(
        field,
        context,
        ['take', 'required', 'assert'],
        'needs a source in addition to fields, such as css',
      );
    }
    const why = 'returns a single value, so fields have nothing to select from';
    refuse(field, context, ['const', 'page', 'meta'], why);
  } else {
    const why = 'can only be used with fields: it selects the element that they read';
    refuse(field, context, ['sibling'], why);
  }
  if (hasTwoColumns(field))
    refuse(field, context, ['key'], `cannot be combined with type ${field.type}, which gives two columns`);
  if (isCounted) {
    refuse(
      field,
      context,
      ['type', 'attr', 'transform', 'locale', 'format', 'default', 'required'],
      `cannot be combined with take "${field.take}", which gives ${field.take === 'count' ? 'a number' : 'true or false'}`,
    );
  }
}

function checkAssert(field: FieldObject, context: Context): void {
  const { assert } = field;
  if (assert === undefined) return;
  const issue = (key: string, message: string): void =>
    context.addIssue({ code: 'custom', path: ['assert', key], message });
  const numeric =
    ['number', 'integer', 'money', 'duration', 'rating'].includes(field.type ?? '') || field.take === 'count';
  for (const key of ['min', 'max'] as const) {
    if (assert[key] !== undefined && !numeric)
      issue(key, 'compares numbers: it needs type number, integer, money, duration or rating, or take count');
  }
  if (
    assert.pattern !== undefined &&
    !['string', 'url', 'html', 'text', 'markdown', 'date', 'datetime', undefined].includes(field.type)
  ) {
    issue('pattern', 'checks text: it cannot be combined with this type');
  }
  if (assert.enum !== undefined && hasTwoColumns(field))
    issue('enum', `compares plain values: it cannot be combined with type ${field.type}`);
  if (field.fields !== undefined) {
    for (const key of ['min', 'max', 'pattern', 'enum'] as const) {
      if (assert[key] !== undefined) issue(key, 'cannot be combined with fields, which give an object');
    }
  }
  for (const [low, high] of [
    ['min', 'max'],
    ['min_items', 'max_items'],
  ] as const) {
    const [from, to] = [assert[low], assert[high]];
    if (from !== undefined && to !== undefined && from > to)
      issue(low, `is ${from}, greater than ${high}, ${to}`);
  }
}

function secondOf({ type }: FieldObject): string | undefined {
  return type === undefined ? undefined : SECOND_COLUMNS[type];
}

function hasTwoColumns(field: FieldObject): boolean {
  return secondOf(field) !== undefined;
}

/** Money and ratings have a second column in a sink, for the currency and for the best of the scale. */
export function checkSecondColumns(fields: Fields, context: z.core.$RefinementCtx<Fields>): void {
  for (const [name, field] of Object.entries(fields)) {
    const second = typeof field === 'string' ? undefined : secondOf(field);
    if (typeof field === 'string' || second === undefined) continue;
    const column = `${name}_${second}`;
    const message = Object.hasOwn(fields, column)
      ? `has type ${field.type}, whose ${second} gets the column ${column}, which is a field too`
      : column.length > MOST_NAME
        ? `has type ${field.type}, so its name has at most ${MOST_NAME - second.length - 1} characters: its ${second} gets the column ${column}`
        : undefined;
    if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
  }
}

/** Rules about combinations of keys of one field. */
export function checkField(field: FieldObject, context: Context): void {
  checkSource(field, context);
  checkShape(field, context);
  checkAssert(field, context);
}
