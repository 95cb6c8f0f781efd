import { jsonpath } from 'json-p3';
import { ExpressionFault } from '@gleaner/html';
import { compileJsonPath, type CompiledJsonPath, type Json } from '../json/jsonpath.ts';
import type { JsonSchema } from './output-schema.ts';

/** A JSONPath into a result's data that takes time in proportion to the data, whatever it says. */
export type DataPath = CompiledJsonPath;

const MAX_STEPS = 20;

const { FilterSelector, IndexSelector, NameSelector } = jsonpath.selectors;
type Segment = DataPath['segments'][number];

/** Whether the step is `..`, whose class the library does not export. */
function isDescent(segment: Segment): boolean {
  return segment.toString().startsWith('..');
}

function requireBounded(segments: readonly Segment[]): void {
  if (segments.length > MAX_STEPS) throw new ExpressionFault(`has more than ${MAX_STEPS} steps`);
  for (const { selectors, token } of segments) {
    const column = token.index + 1;
    // Two wildcards in each step would multiply the values with each step.
    if (selectors.length !== 1) throw new ExpressionFault('a step takes one name, index or wildcard', column);
    if (selectors.some((selector) => selector instanceof FilterSelector))
      throw new ExpressionFault('filters are not allowed here', column);
  }
  if (segments.filter(isDescent).length > 1) throw new ExpressionFault('has more than one ..');
}

/** @throws ExpressionFault: not a JSONPath, or one with a filter, several selectors in a step or several `..` */
export function compileDataPath(path: string): DataPath {
  const compiled = compileJsonPath(path);
  requireBounded(compiled.segments);
  return compiled;
}

/** A value that a path found, with the names and indexes that lead to it. */
export interface FoundValue {
  value: Json;
  location: readonly (string | number)[];
}

/** @throws ExpressionFault when the data is nested too deep to search */
export function findValues(path: DataPath, data: Json): FoundValue[] {
  try {
    return path.query(data).nodes.map(({ value, location }) => ({ value: value as Json, location }));
  } catch (error) {
    throw new ExpressionFault(error instanceof Error ? error.message : String(error));
  }
}

function asSchema(value: unknown): JsonSchema | undefined {
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : undefined;
}

/** The alternatives of a schema, without null. */
function alternatives(schema: JsonSchema): JsonSchema[] {
  const any = schema['anyOf'];
  if (Array.isArray(any)) return any.flatMap((one) => alternatives(asSchema(one) ?? {}));
  const types: unknown[] = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  return types
    .filter((type) => type !== 'null')
    .map((type): JsonSchema => (type === undefined ? schema : { ...schema, type }));
}

function isOpen(schema: JsonSchema): boolean {
  return schema['type'] === undefined && schema['properties'] === undefined && schema['items'] === undefined;
}

function properties(schema: JsonSchema): Readonly<Record<string, unknown>> {
  return asSchema(schema['properties']) ?? {};
}

function children(schema: JsonSchema): JsonSchema[] {
  if (isOpen(schema)) return [{}];
  const named = Object.values(properties(schema)).map((one) => asSchema(one) ?? {});
  const others = asSchema(schema['additionalProperties']);
  const items = schema['type'] === 'array' ? [asSchema(schema['items']) ?? {}] : [];
  return [...named, ...(others ? [others] : []), ...items];
}

function withDescendants(schema: JsonSchema): JsonSchema[] {
  return alternatives(schema).flatMap((one) =>
    isOpen(one) ? [one] : [one, ...children(one).flatMap(withDescendants)],
  );
}

function stepInto(schema: JsonSchema, segment: Segment): JsonSchema[] {
  const [selector] = segment.selectors;
  if (isOpen(schema)) return [{}];
  if (selector instanceof NameSelector) {
    const known = properties(schema);
    if (Object.hasOwn(known, selector.name)) return [asSchema(known[selector.name]) ?? {}];
    const others = schema['additionalProperties'];
    if (schema['type'] !== 'object' || others === false) return [];
    return [asSchema(others) ?? {}];
  }
  if (selector instanceof IndexSelector || schema['type'] === 'array') {
    return schema['type'] === 'array' ? [asSchema(schema['items']) ?? {}] : [];
  }
  return children(schema);
}

function describePlace(schemas: readonly JsonSchema[]): string {
  const names = schemas.flatMap((schema) => Object.keys(properties(schema)));
  if (names.length > 0) return `there are ${names.slice(0, 20).join(', ')}`;
  return `there is ${schemas.map((schema) => String(schema['type'])).join(' or ') || 'nothing'}`;
}

/**
 * What a path can find in data of a schema: the schemas of the values, or why it can never find any.
 * @param schema as `outputSchema` makes it, or of a prebuilt API's answer
 */
export function resolvePathSchemas(
  path: DataPath,
  schema: JsonSchema,
): { schemas: JsonSchema[] } | { fault: string } {
  let found = alternatives(schema);
  for (const segment of path.segments) {
    const from = isDescent(segment) ? found.flatMap(withDescendants) : found;
    const next = from.flatMap((one) => stepInto(one, segment)).flatMap(alternatives);
    if (next.length === 0) return { fault: `${segment.toString()} finds nothing: ${describePlace(found)}` };
    found = next;
  }
  return { schemas: found };
}
