import { z } from 'zod';
import type { Method, Operation } from './operation.ts';

type Common = Pick<Operation, 'tag' | 'auth'>;
type Own = Omit<Operation, keyof Common | 'id' | 'method' | 'path' | 'errors'> &
  Partial<Pick<Operation, 'errors'>>;

/**
 * Gives the function that defines the operations of a resource, which have its tag and its callers in common: by id,
 * method and path, and the rest. It keeps the literal types of a definition, so that the operation's function is checked
 * against the schemas.
 */
export function operationsOf<const C extends Common>(common: C) {
  return <const I extends string, const M extends Method, const P extends string, const O extends Own>(
    id: I,
    route: `${M} ${P}`,
    own: O,
  ): C & { id: I; method: M; path: P } & O & Pick<Operation, 'errors'> => {
    const [method, path] = route.split(' ') as [M, P];
    return { errors: [], ...common, id, method, path, ...own };
  };
}

function jsonWith<const C extends 200 | 201 | 202>(status: C) {
  return <const S extends z.ZodType>(schema: S) => ({ kind: 'json', status, schema }) as const;
}

/** An answer of JSON: 200, or what its function is named for. */
export const json = jsonWith(200);
export const created = jsonWith(201);
export const accepted = jsonWith(202);

/** An answer of JSON, or a stream in one of these media types when it is asked for. */
export function jsonOr<const S extends z.ZodType, const T extends readonly string[]>(schema: S, streams: T) {
  return { kind: 'json', status: 200, schema, streams } as const;
}

/** The answer of an operation that a dry run performs without effect: its answer has `dry_run: true` and the status 200. */
export function orDryRun<const S extends z.ZodType, const A extends 201 | 202, const D extends z.ZodType>(
  answer: { kind: 'json'; status: A; schema: S },
  instead: D,
) {
  const { kind, status, schema: otherwise } = answer;
  return { kind, status, schema: z.union([otherwise, instead]), dryRun: { instead, otherwise } } as const;
}

/** An answer that the extraction threads write as JSON text. */
export function rawJson<const S extends z.ZodType>(schema: S) {
  return { kind: 'json-text', status: 200, schema } as const;
}
