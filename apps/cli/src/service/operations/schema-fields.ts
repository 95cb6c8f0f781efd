import { isObject, refKinds } from '@gleaner/contracts';
import { z } from 'zod';
import type { Alternatives, Field } from '../inputs/operation.ts';

/** A part of an input, as JSON Schema describes it. */
export interface Property {
  /** The name of a schema part that contains itself. */
  $ref?: string;
  type?: string;
  description?: string;
  const?: unknown;
  enum?: string[];
  items?: Property;
  properties?: Readonly<Record<string, Property>>;
  anyOf?: Property[];
  oneOf?: Property[];
  /** The kind of record that the text names. */
  names?: Field['names'];
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

function membersOf(property: Property): [name: string, member: Property][] {
  const members = branchesOf(property).flatMap(({ properties = {} }) => Object.entries(properties));
  const named = Map.groupBy(members, ([name]) => name);
  return [...named].map(([name, own]) => [name, joined(own.map(([, one]) => one))]);
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

function fieldOf(path: string, property: Property): Field {
  const branches = branchesOf(property);
  const own = branches.filter(({ type }) => type !== 'null');
  const isList = own.length === 1 && own[0]?.type === 'array';
  const values = isList ? branchesOf(own[0]?.items ?? {}) : own;
  const kinds = new Set(values.map((one) => KINDS[typeOf(one)] ?? 'any'));
  const [kind = 'any'] = kinds;
  const [value = {}] = values;
  return {
    path,
    about: property.description ?? own[0]?.description ?? '',
    kind: kinds.size === 1 ? kind : 'any',
    ...(isList && { isList }),
    ...(branches.length > own.length && { isNullable: true }),
    ...(value.enum && { choices: value.enum }),
    ...(value.names && { names: value.names }),
  };
}

/** The fields of an input: those of an object within it one by one. */
export function fieldsOf(property: Property, path: readonly string[] = []): Field[] {
  return membersOf(property).flatMap(([name, member]) => {
    const own = [...path, name];
    const inner = own.length < MAX_DEPTH ? fieldsOf(member, own) : [];
    return inner.length > 0 ? inner : [fieldOf(own.join('.'), member)];
  });
}

/** The objects of an input that have alternatives which a member tells apart: `mode: "database"` of a sink. */
export function alternativesOf(property: Property, path: readonly string[] = []): Alternatives[] {
  const objects = branchesOf(property).flatMap(({ properties }) =>
    isObject(properties) ? [properties] : [],
  );
  const fitting = objects.map((members) => {
    const fixed = Object.entries(members).filter(([, { const: value }]) => value !== undefined);
    return {
      kinds: Object.fromEntries(fixed.map(([name, { const: value }]) => [name, value])),
      members: Object.keys(members),
    };
  });
  const isTold = objects.length > 1 && fitting.some(({ kinds }) => Object.keys(kinds).length > 0);
  const inner = path.length >= MAX_DEPTH ? [] : membersOf(property);
  return [
    ...(isTold ? [{ path: path.join('.'), fitting }] : []),
    ...inner.flatMap(([name, member]) => alternativesOf(member, [...path, name])),
  ];
}
