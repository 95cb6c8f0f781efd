import { isObject, refKinds } from '@gleaner/contracts';
import type { SluggedKind } from '@gleaner/contracts/values';
import { z } from 'zod';

/** A part of an input, as JSON Schema describes it. */
export interface Property {
  /** The name of a schema part that contains itself. */
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  const?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  items?: Property;
  properties?: Readonly<Record<string, Property>>;
  anyOf?: Property[];
  oneOf?: Property[];
  /** The kind of record that the text names. */
  names?: SluggedKind;
}

/** A field of an input, which an option or `name=value` gives. */
export interface Field {
  /** Its name after those of the objects around it. */
  path: readonly string[];
  about: string;
  /** `any`: takes several kinds; the text says which. */
  kind: 'text' | 'number' | 'switch' | 'json' | 'any';
  isList: boolean;
  isNullable: boolean;
  /** The schema of one value. */
  value: Property;
}

/** Objects deeper than this are given as JSON. */
const MAX_DEPTH = 3;

export function schemaOf(schema: z.ZodType | undefined): Property {
  if (schema === undefined) return {};
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const names = zodSchema instanceof z.ZodString ? refKinds.get(zodSchema)?.kind : undefined;
      if (names !== undefined) Object.assign(jsonSchema, { names });
    },
  }) as Property;
}

/** The alternatives of a schema, at all levels. */
function branchesOf(property: Property): Property[] {
  const alternatives = property.anyOf ?? property.oneOf;
  return alternatives === undefined ? [property] : alternatives.flatMap(branchesOf);
}

function membersOf(property: Property): Map<string, Property[]> {
  const members = branchesOf(property).flatMap(({ properties = {} }) => Object.entries(properties));
  return new Map(
    [...Map.groupBy(members, ([name]) => name)].map(([name, own]) => [name, own.map(([, one]) => one)]),
  );
}

/** One schema for what a name is in several alternatives: the texts that tell these apart are a choice. */
function joined([first = {}, ...others]: readonly Property[]): Property {
  const texts = [first, ...others].map((one) => one.const).filter((text) => typeof text === 'string');
  return texts.length > 1 ? { type: 'string', enum: texts } : first;
}

const KINDS: Readonly<Record<string, Field['kind']>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'switch',
  object: 'json',
};

function typeOf({ type, $ref, const: constant }: Property): string {
  return type ?? ($ref === undefined ? typeof constant : 'object');
}

function fieldOf(path: readonly string[], property: Property): Field {
  const branches = branchesOf(property);
  const own = branches.filter(({ type }) => type !== 'null');
  const isList = own.length === 1 && own[0]?.type === 'array';
  const values = isList ? branchesOf(own[0]?.items ?? {}) : own;
  const kinds = new Set(values.map((one) => KINDS[typeOf(one)] ?? 'any'));
  const [kind = 'any'] = kinds;
  return {
    path,
    about: property.description ?? own[0]?.description ?? '',
    kind: kinds.size === 1 ? kind : 'any',
    isList,
    isNullable: branches.length > own.length,
    value: values.find(({ format }) => format === 'date-time') ?? values[0] ?? {},
  };
}

/** The fields of an input: those of an object within it one by one. */
export function fieldsOf(property: Property, path: readonly string[] = []): Field[] {
  return [...membersOf(property)].flatMap(([name, found]) => {
    const member = joined(found);
    const inner = path.length < MAX_DEPTH - 1 ? fieldsOf(member, [...path, name]) : [];
    return inner.length > 0 ? inner : [fieldOf([...path, name], member)];
  });
}

/**
 * Adds what tells alternatives apart and follows from the rest: `mode: "database"` beside a table. It is that of the first
 * alternative which has all given members.
 */
export function addKinds(property: Property, value: unknown): unknown {
  if (!isObject(value)) return value;
  const objects = branchesOf(property).filter(({ properties }) => properties !== undefined);
  const fitting = objects.find(({ properties = {} }) =>
    Object.entries(value).every(([name, given]) => {
      const member = properties[name];
      return member !== undefined && (member.const === undefined || member.const === given);
    }),
  );
  const { properties = {} } = fitting ?? objects.at(-1) ?? {};
  const kinds = Object.entries(properties).flatMap(([name, member]) =>
    objects.length > 1 && member.const !== undefined ? [[name, member.const]] : [],
  );
  const members = Object.entries(value).map(([name, given]) => [
    name,
    addKinds(properties[name] ?? {}, given),
  ]);
  return { ...Object.fromEntries(kinds), ...Object.fromEntries(members) };
}
