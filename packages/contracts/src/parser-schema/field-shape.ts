import { z } from 'zod';
import { FIELD_TYPES, TAKES } from '../values/index.ts';
import { assertSchema } from './assert.ts';
import { PARSER_SCHEMA_LIMITS as LIMITS } from './limits.ts';
import { anySourceSchema, attrField, formatField, localeField, sourceShape } from './source.ts';
import { transformSchema } from './transform.ts';

/** The keys of a field without nested fields. */
export const fieldShape = {
  ...sourceShape,
  any: z
    .array(anySourceSchema)
    .min(1)
    .max(LIMITS.fallbacks)
    .optional()
    .describe('Sources of any kind; the first with a valid typed value wins.'),
  attr: attrField,
  take: z
    .enum(TAKES)
    .optional()
    .describe('first (default; all for page links), all (a list), count or exists.'),
  type: z.enum(FIELD_TYPES).optional().describe('Type of the value, default string.'),
  sibling: z
    .string()
    .trim()
    .regex(/^[+~]/, 'must start with + or ~, as in "+ tr.sub"')
    .max(LIMITS.selectorLength)
    .optional()
    .describe(
      'Combinator and selector of a sibling of the match, from which the fields are read: `+ tr.sub`.',
    ),
  transform: transformSchema.optional(),
  locale: localeField,
  format: formatField,
  required: z.boolean().optional().describe('The extraction fails when the value is absent.'),
  assert: assertSchema.optional(),
  default: z.json().optional().describe('Value when absent; without it null, or [] for a list.'),
  key: z
    .boolean()
    .optional()
    .describe('Whether the field identifies a row: part of the default upsert key of a sink.'),
};

/** Keys of a field. */
export const fieldKeys: readonly string[] = [...Object.keys(fieldShape), 'fields'];

const flatField = z.strictObject(fieldShape);

export interface FieldObject extends z.output<typeof flatField> {
  fields?: Fields | undefined;
}

/** A CSS selector, or a full definition. */
export type Field = string | FieldObject;

export interface Fields {
  [name: string]: Field;
}
