import { z } from 'zod';

/** JSON Schema as zod writes it. */
export interface Schema {
  id?: string;
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  description?: string;
  contentMediaType?: string;
  contentSchema?: Schema;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

type Direction = 'input' | 'output';

export interface TypeWriter {
  /** Declares what a definition with this id is, whatever else has the id. */
  fix(name: string, schema: z.ZodType): void;
  /** Names schemas wherever they stand. Where an answer differs from the input, its name ends with `Answer`. */
  share(parts: Readonly<Record<string, z.ZodType>>, direction: Direction): void;
  /** The type of a schema as TypeScript; definitions with an id become named types. */
  type(schema: Schema, direction: Direction): string;
  /** Declares a type under a name. */
  declare(name: string, schema: Schema, direction: Direction): void;
  /** Every named type, in the order of their names. */
  declarations(): string;
}

/** A zod schema as JSON Schema. */
export function jsonSchemaOf(schema: z.ZodType, direction: Direction): Schema {
  return z.toJSONSchema(schema, { io: direction, unrepresentable: 'any' }) as Schema;
}

/** Indents every line but the first. */
export function indent(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

/** A JSDoc comment before what follows, or nothing. */
export function comment(text: string | undefined): string {
  if (text === undefined || text === '') return '';
  const lines = text.replaceAll('*/', '* /').split('\n');
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`;
}

/** The schema that a reference at the top stands for. */
export function resolve(schema: Schema): Schema {
  return (
    (schema.$ref === undefined ? undefined : schema.$defs?.[schema.$ref.replace('#/$defs/', '')]) ?? schema
  );
}

/** zod has no name for the recursive schema of any JSON. */
function typeName(definition: string): string {
  return /^__schema\d+$/.test(definition) ? 'Json' : definition;
}

/** What distinguishes schemas; descriptions do not. */
function fingerprint(schema: Schema): string {
  const { $defs: _, id: _id, description: _text, ...rest } = schema;
  return JSON.stringify(rest, (key, value: unknown) => {
    if (key === '$ref') return typeName(String(value).replace('#/$defs/', ''));
    return key === '$schema' ? undefined : value;
  });
}

const BOOLEAN_WORDS = ['true', 'false', '1', '0'];

/** The words of a boolean in a query string, beside the boolean itself. */
function isSpelling(option: Schema, all: readonly Schema[]): boolean {
  return (
    all.some(({ type }) => type === 'boolean') &&
    option.enum?.every((word) => BOOLEAN_WORDS.includes(String(word))) === true
  );
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

/** @param isUnion of objects too, which hold signs of unions themselves */
function element(type: string, isUnion = false): string {
  return / [|&] /.test(type) && (isUnion || !type.startsWith('{')) ? `(${type})[]` : `${type}[]`;
}

function isUnion({ anyOf, oneOf }: Schema): boolean {
  return (anyOf ?? oneOf ?? []).length > 1;
}

/** Writes JSON Schemas as TypeScript types. Lists of inputs are readonly, so that constants can be passed. */
export function createTypeWriter(): TypeWriter {
  const named = new Map<string, { text: string; fingerprint: string }>();
  /** Names that stay what they were declared as. */
  const fixed = new Set<string>();
  /** By their fingerprints. They are declared when they are first used. */
  const shared = new Map<string, { name: string; schema: Schema; direction: Direction }>();

  const object = (schema: Schema, direction: Direction): string => {
    const required = new Set(schema.required);
    const lines = Object.entries(schema.properties ?? {}).map(
      ([key, property]) =>
        `${comment(property.description)}${key}${required.has(key) ? '' : '?'}: ${write(property, direction)};`,
    );
    const more = schema.additionalProperties;
    if (lines.length === 0) {
      return `{ [name: string]: ${typeof more === 'object' ? write(more, direction) : 'unknown'} }`;
    }
    return `{${indent(`\n${lines.join('\n')}`)}\n}`;
  };

  const array = ({ items, prefixItems }: Schema, direction: Direction): string => {
    const readonly = direction === 'input' ? 'readonly ' : '';
    if (prefixItems) return `${readonly}[${prefixItems.map((item) => write(item, direction)).join(', ')}]`;
    return `${readonly}${items ? element(write(items, direction), isUnion(items)) : 'unknown[]'}`;
  };

  const inline = (schema: Schema, direction: Direction): string => {
    const options = (schema.anyOf ?? schema.oneOf)?.filter((option, _index, all) => !isSpelling(option, all));
    if (options) return union(options.map((option) => write(option, direction)));
    if (schema.const !== undefined) return literal(schema.const);
    if (schema.enum) return union(schema.enum.map(literal));
    if (Array.isArray(schema.type)) {
      return union(schema.type.map((type) => inline({ ...schema, type }, direction)));
    }
    switch (schema.type) {
      case 'string':
        // Text that holds JSON: the client writes it.
        return schema.contentMediaType === 'application/json' && direction === 'input'
          ? `string | ${schema.contentSchema?.type === 'array' ? 'readonly unknown[]' : '{ readonly [name: string]: unknown }'}`
          : 'string';
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
      case 'null':
        return schema.type;
      case 'array':
        return array(schema, direction);
      case 'object':
        return object(schema, direction);
      case undefined:
        return 'unknown';
      default:
        throw new Error(`no type for ${JSON.stringify(schema)}`);
    }
  };

  const declareDefinitions = ({ $defs = {} }: Schema, direction: Direction): void => {
    for (const [id, definition] of Object.entries($defs)) {
      if (!fixed.has(typeName(id))) declare(typeName(id), definition, direction);
    }
  };

  const declare = (name: string, schema: Schema, direction: Direction): void => {
    const print = fingerprint(schema);
    const known = named.get(name);
    if (known?.fingerprint === print) return;
    if (known) throw new Error(`two schemas have the name ${name}`);
    const entry = { text: '', fingerprint: print };
    named.set(name, entry);
    declareDefinitions(schema, direction);
    const text = inline(schema, direction);
    // Not an interface, which fits no `Record<string, unknown>`.
    entry.text = `${comment(schema.description)}export type ${name} = ${text};`;
  };

  const write = (schema: Schema, direction: Direction): string => {
    declareDefinitions(schema, direction);
    if (schema.$ref !== undefined) return typeName(schema.$ref.replace('#/$defs/', ''));
    if (schema.id !== undefined) {
      if (!fixed.has(schema.id)) declare(schema.id, schema, direction);
      return schema.id;
    }
    const part = shared.get(fingerprint(schema));
    if (part === undefined) return inline(schema, direction);
    declare(part.name, part.schema, part.direction);
    return part.name;
  };

  return {
    fix: (name, schema) => {
      const input = jsonSchemaOf(schema, 'input');
      for (const [id, definition] of Object.entries(input.$defs ?? {})) {
        fixed.add(typeName(id));
        declare(typeName(id), definition, 'input');
      }
      fixed.add(name);
      if (input.$ref === undefined) declare(name, input, 'input');
    },
    share: (parts, direction) => {
      const add = (name: string, schema: Schema, of: Direction): void => {
        const print = fingerprint(schema);
        if (!shared.has(print)) shared.set(print, { name, schema, direction: of });
      };
      for (const [name, schema] of Object.entries(parts)) {
        add(name, jsonSchemaOf(schema, direction), direction);
        if (direction === 'input') add(`${name}Answer`, jsonSchemaOf(schema, 'output'), 'output');
      }
    },
    type: write,
    declare,
    declarations: () =>
      [...named]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { text }]) => text)
        .join('\n\n'),
  };
}
