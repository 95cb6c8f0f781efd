import { isObject } from '@gleaner/contracts/values';
import type { Assert, FieldObject, Fields, FieldType, ParserSchema } from '@gleaner/contracts';
import { asObject, isListField, isNullable } from './field-shape.ts';

export type JsonSchema = { [key: string]: unknown };

export function isJsonSchema(value: unknown): value is JsonSchema {
  return isObject(value);
}

const TYPES: Readonly<Record<FieldType, JsonSchema>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  money: {
    type: 'object',
    properties: { amount: { type: 'number' }, currency: { type: ['string', 'null'], pattern: '^[A-Z]{3}$' } },
    required: ['amount', 'currency'],
    additionalProperties: false,
  },
  duration: { type: 'number', minimum: 0 },
  rating: {
    type: 'object',
    properties: { value: { type: 'number' }, best: { type: ['number', 'null'] } },
    required: ['value', 'best'],
    additionalProperties: false,
  },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  url: { type: 'string', format: 'uri-reference' },
  html: { type: 'string', contentMediaType: 'text/html' },
  text: { type: 'string' },
  markdown: { type: 'string', contentMediaType: 'text/markdown' },
  json: {},
  table: {
    type: 'array',
    items: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
  },
};

function typeSchema(field: FieldObject): JsonSchema {
  if (field.take === 'count') return { type: 'integer', minimum: 0 };
  if (field.take === 'exists') return { type: 'boolean' };
  return { ...TYPES[field.type ?? 'string'] };
}

/** `min` and `max` of money bound its amount, those of a rating its value. */
function withBounds(schema: JsonSchema, name: 'amount' | 'value', { min, max }: Assert): JsonSchema {
  const amount: JsonSchema = { type: 'number' };
  if (min !== undefined) amount['minimum'] = min;
  if (max !== undefined) amount['maximum'] = max;
  return { ...schema, properties: { ...Object(schema['properties']), [name]: amount } as JsonSchema };
}

function scalarSchema(field: FieldObject): JsonSchema {
  const schema = typeSchema(field);
  const { assert } = field;
  // A default is not checked against the assertions.
  if (assert === undefined || field.default !== undefined) return schema;
  if (field.type === 'money') return withBounds(schema, 'amount', assert);
  if (field.type === 'rating') return withBounds(schema, 'value', assert);
  if (assert.min !== undefined) schema['minimum'] = assert.min;
  if (assert.max !== undefined) schema['maximum'] = assert.max;
  if (assert.enum !== undefined) schema['enum'] = assert.enum;
  return schema;
}

function nullable(schema: JsonSchema): JsonSchema {
  if (typeof schema['type'] !== 'string') {
    return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };
  }
  if (schema['enum'] !== undefined) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [schema['type'], 'null'] };
}

function listSchema(items: JsonSchema, field: FieldObject): JsonSchema {
  const schema: JsonSchema = { type: 'array', items };
  const { assert, required, default: fallback } = field;
  if (fallback !== undefined || assert?.on_fail === 'null') return schema;
  if (assert?.max_items !== undefined) schema['maxItems'] = assert.max_items;
  const least = Math.max(assert?.min_items ?? 0, required === true ? 1 : 0);
  if (least > 0) schema['minItems'] = least;
  return schema;
}

function fieldSchema(field: FieldObject): JsonSchema {
  const single = field.fields === undefined ? scalarSchema(field) : objectSchema(field.fields);
  const schema = isListField(field) ? listSchema(single, field) : single;
  return isNullable(field) ? nullable(schema) : schema;
}

function objectSchema(fields: Fields): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, fieldSchema(asObject(field))]),
    ),
    required: Object.keys(fields),
    additionalProperties: false,
  };
}

/** JSON Schema (draft 2020-12) of the parser's data. Every value that the parser produces satisfies it. */
export function outputSchema(schema: ParserSchema): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...objectSchema(schema.fields),
  };
}
