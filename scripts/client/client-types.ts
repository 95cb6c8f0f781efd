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

/** A member of an object. */
export interface Member {
  key: string;
  type: string;
  isRequired: boolean;
  description: string | undefined;
}

/** How a language writes types. */
export interface Language {
  words: Readonly<Record<'string' | 'integer' | 'number' | 'boolean' | 'null' | 'unknown', string>>;
  literals(values: readonly unknown[]): string;
  union(types: readonly string[]): string;
  /** @param isUnion whether the item has several types */
  list(item: string, direction: Direction, isUnion: boolean): string;
  tuple(items: readonly string[], direction: Direction): string;
  /** An object with any names. */
  dictionary(value: string): string;
  /** Text that holds JSON: the client writes it. */
  jsonText(isList: boolean): string;
  /** An object where it stands; undefined when objects need names in this language. */
  object(members: readonly Member[]): string | undefined;
  /** A named type. */
  declaration(name: string, type: string | readonly Member[], description: string | undefined): string;
}

export interface TypeWriter {
  /** Declares what a definition with this id is, whatever else has the id. */
  fix(name: string, schema: z.ZodType): void;
  /** Names schemas wherever they stand. Where an answer differs from the input, its name ends with `Answer`. */
  share(parts: Readonly<Record<string, z.ZodType>>, direction: Direction): void;
  /**
   * The type of a schema; definitions with an id become named types.
   * @param hint the name of what it is, for languages whose objects need one
   */
  type(schema: Schema, direction: Direction, hint?: string): string;
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

function isUnion({ anyOf, oneOf }: Schema): boolean {
  return (anyOf ?? oneOf ?? []).length > 1;
}

/** `cron` and `max_credits` as `CronMaxCredits`. */
export function nameWithin(hint: string, key: string): string {
  return hint + key.replaceAll(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** Writes JSON Schemas as types of a language. */
export function createTypeWriter(language: Language): TypeWriter {
  const named = new Map<string, { text: string; fingerprint: string }>();
  /** Names that stay what they were declared as. */
  const fixed = new Set<string>();
  /** By their fingerprints. They are declared when they are first used. */
  const shared = new Map<string, { name: string; schema: Schema; direction: Direction }>();

  const membersOf = (schema: Schema, direction: Direction, hint: string): Member[] => {
    const required = new Set(schema.required);
    return Object.entries(schema.properties ?? {}).map(([key, property]) => ({
      key,
      type: write(property, direction, nameWithin(hint, key)),
      isRequired: required.has(key),
      description: property.description,
    }));
  };

  const object = (schema: Schema, direction: Direction, hint: string): string => {
    const more = schema.additionalProperties;
    if (Object.keys(schema.properties ?? {}).length === 0)
      return language.dictionary(
        typeof more === 'object' ? write(more, direction, `${hint}Value`) : language.words.unknown,
      );
    const inPlace = language.object(membersOf(schema, direction, hint));
    if (inPlace !== undefined) return inPlace;
    const print = fingerprint(schema);
    let name = hint;
    for (let number = 2; (named.get(name)?.fingerprint ?? print) !== print; number += 1)
      name = `${hint}${number}`;
    declare(name, schema, direction);
    return name;
  };

  const inline = (schema: Schema, direction: Direction, hint: string): string => {
    const options = (schema.anyOf ?? schema.oneOf)?.filter((option, _index, all) => !isSpelling(option, all));
    if (options) return language.union(options.map((option) => write(option, direction, hint)));
    if (schema.const !== undefined) return language.literals([schema.const]);
    if (schema.enum) return language.literals(schema.enum);
    if (Array.isArray(schema.type)) {
      return language.union(schema.type.map((type) => inline({ ...schema, type }, direction, hint)));
    }
    switch (schema.type) {
      case 'string':
        return schema.contentMediaType === 'application/json' && direction === 'input'
          ? language.jsonText(schema.contentSchema?.type === 'array')
          : language.words.string;
      case 'integer':
      case 'number':
      case 'boolean':
      case 'null':
        return language.words[schema.type];
      case 'array': {
        const { items, prefixItems } = schema;
        if (prefixItems)
          return language.tuple(
            prefixItems.map((item) => write(item, direction, hint)),
            direction,
          );
        const item = items ? write(items, direction, hint) : language.words.unknown;
        return language.list(item, direction, items !== undefined && isUnion(items));
      }
      case 'object':
        return object(schema, direction, hint);
      case undefined:
        return language.words.unknown;
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
    const isObject = schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0;
    const type = isObject ? membersOf(schema, direction, name) : inline(schema, direction, name);
    entry.text = language.declaration(name, type, schema.description);
  };

  const write = (schema: Schema, direction: Direction, hint: string): string => {
    declareDefinitions(schema, direction);
    if (schema.$ref !== undefined) return typeName(schema.$ref.replace('#/$defs/', ''));
    if (schema.id !== undefined) {
      if (!fixed.has(schema.id)) declare(schema.id, schema, direction);
      return schema.id;
    }
    const part = shared.get(fingerprint(schema));
    if (part === undefined) return inline(schema, direction, hint);
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
    type: (schema, direction, hint = 'Part') => write(schema, direction, hint),
    declare,
    declarations: () =>
      [...named]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { text }]) => text)
        .join('\n\n'),
  };
}
