import { TRANSFORM_FORMS } from './transform.ts';

/** The kind of node at a path of a schema. */
export type SchemaPosition =
  | 'schema'
  | 'fields'
  | 'field'
  | 'sources'
  | 'source'
  | 'selectors'
  | 'json'
  | 'xhr'
  | 'assert'
  | 'steps'
  | 'step'
  | 'value';

const INSIDE_FIELD: Readonly<Record<string, SchemaPosition>> = {
  fields: 'fields',
  any: 'sources',
  css: 'selectors',
  xpath: 'selectors',
  json: 'json',
  xhr: 'xhr',
  assert: 'assert',
  transform: 'steps',
};

const ELEMENTS: Readonly<Partial<Record<SchemaPosition, SchemaPosition>>> = {
  fields: 'field',
  sources: 'source',
  steps: 'step',
};

function inside(place: SchemaPosition, part: PropertyKey): SchemaPosition {
  if (place === 'schema') return part === 'fields' ? 'fields' : 'value';
  if (place === 'field' || place === 'source') return INSIDE_FIELD[String(part)] ?? 'value';
  return ELEMENTS[place] ?? 'value';
}

export function positionAt(path: readonly PropertyKey[]): SchemaPosition {
  return path.reduce<SchemaPosition>(inside, 'schema');
}

/** The expected value at each kind of position, for error messages. */
export const EXPECTED: Readonly<Record<Exclude<SchemaPosition, 'value'>, string>> = {
  schema: 'an object with fields: {"fields": {"title": "h1"}}',
  fields: 'an object of field names and fields: {"title": "h1"}',
  field: 'a CSS selector such as "h1", or an object such as {"css": "h1"}',
  sources: 'a list of sources: [".price", {"meta": "price"}]',
  source: 'a CSS selector such as "h1", or an object such as {"css": "h1"}',
  selectors: 'a selector, or a list of selectors',
  json: 'an object such as {"script": "#data", "path": "$.name"}',
  xhr: 'an object such as {"url": "*/api/items*", "path": "$.items[*]"}',
  assert: 'an object such as {"min": 1, "on_fail": "null"}',
  steps: 'a list of steps: ["collapse", "lower"]',
  step: TRANSFORM_FORMS,
};
