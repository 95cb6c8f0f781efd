import { z } from 'zod';
import { refKinds } from './fields.ts';
import { SLUG, type SluggedKind } from './values/index.ts';

/** Every item of a list. */
const EACH = Symbol('each item');

/** A field of a schema that names a resource. */
interface RefPath {
  kind: SluggedKind;
  path: readonly (string | typeof EACH)[];
}

function findPaths(schema: z.core.$ZodType, path: RefPath['path']): RefPath[] {
  const found = refKinds.get(schema);
  if (found !== undefined) return [{ kind: found.kind, path }];
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) => findPaths(field, [...path, name]));
  if (schema instanceof z.ZodArray) return findPaths(schema.element, [...path, EACH]);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => findPaths(option, path));
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return findPaths(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return findPaths(schema.in, path);
  return [];
}

const known = new WeakMap<z.ZodType, RefPath[]>();

/** The fields of a schema that name resources by id or slug; each schema is searched once. */
function refPathsOf(schema: z.ZodType): RefPath[] {
  const paths = known.get(schema) ?? findPaths(schema, []);
  known.set(schema, paths);
  return paths;
}

/** A slug in a value, where the id can be put in its place. */
export interface SlugPlace {
  kind: SluggedKind;
  slug: string;
  replace: (id: string) => void;
}

function placesAt(value: unknown, { kind, path }: RefPath): SlugPlace[] {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null) return [];
  if (step === EACH)
    return Array.isArray(value) ? value.flatMap((item) => placesAt(item, { kind, path: rest })) : [];
  const holder = value as Record<string, unknown>;
  const member = holder[step];
  if (rest.length > 0) return placesAt(member, { kind, path: rest });
  if (typeof member !== 'string' || !SLUG.test(member)) return [];
  return [{ kind, slug: member, replace: (id) => Object.assign(holder, { [step]: id }) }];
}

/** The slugs in a value that its schema has parsed. Ids are none, as they have an underscore. */
export function slugsIn(schema: z.ZodType | undefined, value: unknown): SlugPlace[] {
  return schema === undefined ? [] : refPathsOf(schema).flatMap((ref) => placesAt(value, ref));
}

/** Whether a part of an operation's input can hold a slug. */
export function takesRefs(schema: z.ZodType | undefined): boolean {
  return schema !== undefined && refPathsOf(schema).length > 0;
}
