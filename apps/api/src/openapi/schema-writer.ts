import { API_OPERATIONS, SHARED_ANSWERS, SHARED_PARTS } from '@gleaner/contracts';
import { z } from 'zod';

export type Json = Record<string, unknown>;

/** Both forms of a prebuilt API give the same answer. */
const PREBUILT_ANSWERS = Object.fromEntries(
  Object.values(API_OPERATIONS).map(({ api, post }) => [pascalCase(`${api.id}-result`), post.answer.schema]),
);

/** `videosite-video` → `VideositeVideo`, `createCron` → `CreateCron` */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const BOUNDS: ReadonlySet<string> = new Set(['minimum', 'maximum']);

/** Where a schema stands in the document. */
type SchemaUse = 'parameters' | 'body' | 'answer';

/**
 * Says a default in the description alone. Generators such as openapi-typescript take a field of a component that has
 * `default` for one that is always there, and would require it of those who send it.
 */
function sayDefault(schema: z.core.JSONSchema.BaseSchema): void {
  const { default: byDefault, description = '' } = schema;
  if (byDefault === undefined) return;
  delete schema.default;
  if (!/\bdefault\b/i.test(description))
    schema.description = `${description} Default: \`${JSON.stringify(byDefault)}\`.`.trimStart();
}

/** JSON Schemas of zod objects, with named ones moved to components. */
export function createSchemaWriter(components: Json) {
  const moveRefs = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moveRefs);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value)
        // An `id` that is text is zod's name of the schema; a property called id is an object.
        .filter(
          ([key, inner]) =>
            key !== '$schema' && key !== '$defs' && !(key === 'id' && typeof inner === 'string'),
        )
        // Every whole number of a double: no bound that anyone set.
        .filter(([key, inner]) => !(BOUNDS.has(key) && Math.abs(Number(inner)) === Number.MAX_SAFE_INTEGER))
        .map(([key, inner]) => [
          key,
          key === '$ref' && typeof inner === 'string'
            ? inner.replace('#/$defs/', '#/components/schemas/')
            : moveRefs(inner),
        ]),
    );
  };
  const toJson = (schema: z.ZodType, use: SchemaUse) =>
    z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io: use === 'answer' ? 'output' : 'input',
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        if (use === 'body') sayDefault(jsonSchema);
      },
    });
  /** The names of bodies and answers by their schemas. */
  const wholes = new Map<string, string>();
  /** The names of parts by their schemas as they are written. */
  const names = new Map<string, string>();
  const name = (of: Readonly<Record<string, z.ZodType>>, use: SchemaUse, suffix = ''): void => {
    for (const [part, schema] of Object.entries(of))
      names.set(formOf(moveRefs(toJson(schema, use)) as Json), `${part}${suffix}`);
  };
  name({ ...SHARED_ANSWERS, ...PREBUILT_ANSWERS }, 'answer');
  // Most are alike in both directions: then there is one name.
  name(SHARED_PARTS, 'answer', 'Answer');
  name(SHARED_PARTS, 'body');
  const nameParts = (value: unknown, isWhole = false): unknown => {
    if (Array.isArray(value)) return value.map((inner) => nameParts(inner));
    if (value === null || typeof value !== 'object') return value;
    const { description, default: byDefault, ...form } = value as Json;
    const part = isWhole ? undefined : names.get(formOf(value as Json));
    if (part === undefined)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, nameParts(inner)]));
    components[part] ??= nameParts(form, true);
    return {
      $ref: `#/components/schemas/${part}`,
      ...(description === undefined ? {} : { description }),
      ...(byDefault === undefined ? {} : { default: byDefault }),
    };
  };
  const finish = (json: unknown): Json => nameParts(moveRefs(json)) as Json;
  /** Moves an object to the components. Two operations with the same one share its name. */
  const nameWhole = (name: string, schema: Json): Json => {
    if (schema.type !== 'object' || schema.properties === undefined) return schema;
    const form = formOf(schema);
    const shared = wholes.get(form) ?? name;
    wholes.set(form, shared);
    components[shared] = schema;
    return { $ref: `#/components/schemas/${shared}` };
  };
  /** @param name of a body or an answer that has no name yet */
  return (schema: z.ZodType, use: SchemaUse, name?: string): Json => {
    const json = toJson(schema, use);
    for (const [part, definition] of Object.entries(json.$defs ?? {})) components[part] = finish(definition);
    const id = z.globalRegistry.get(schema)?.id;
    if (id !== undefined && !('$ref' in json)) {
      components[id] = finish(json);
      return { $ref: `#/components/schemas/${id}` };
    }
    return name === undefined ? finish(json) : nameWhole(name, finish(json));
  };
}

/** A schema as a text to compare, without its description and default, of which each place has its own. */
function formOf(schema: Json): string {
  return JSON.stringify({ ...schema, description: undefined, default: undefined });
}

export type SchemaWriter = ReturnType<typeof createSchemaWriter>;
