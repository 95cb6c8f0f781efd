import type { z } from 'zod';
import type { ApiId, SiteName } from '../values/index.ts';
import examples from './examples.json' with { type: 'json' };

/** One column of a row's identity. `path` is the path of its value in the row (`identity.id`). */
export interface RowKeyColumn {
  readonly column: string;
  readonly path: string;
}

/** How responses become rows of a database sink. */
export interface RowIdentity {
  /** The list of rows, the default of `sink.rows`. When absent, the whole response is one row. */
  readonly list?: string;
  /** The default upsert key. A column that is not a top-level field of the row is added from its path. */
  readonly key: readonly RowKeyColumn[];
}

/** What describes an API. */
interface ApiDefinition<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  /** The last segment of the path, which begins with the name of the site. */
  readonly id: ApiId;
  readonly name: string;
  readonly description: string;
  readonly input: I;
  readonly output: O;
  readonly rowKey: RowIdentity;
}

/** A fixed-shape extraction endpoint: `GET` with query parameters and `POST` with the same fields as JSON. */
export interface PrebuiltApi<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
> extends ApiDefinition<I, O> {
  readonly site: SiteName;
  readonly methods: readonly ['GET', 'POST'];
  readonly path: string;
  readonly credits: 1;
  /** A call and what it answers. */
  readonly example: { readonly input: Record<string, unknown>; readonly answer: Record<string, unknown> };
}

type SiteOf<I extends ApiId> = I extends `${infer S extends SiteName}-${string}` ? S : never;

/** Adds what all APIs have in common, and the example. Keeps the literal types of the description. */
export function definePrebuiltApi<const A extends ApiDefinition>(api: A) {
  const [site] = api.id.split('-') as [SiteOf<A['id']>];
  // `examples.json` has one of each API.
  const example: PrebuiltApi['example'] = examples[api.id];
  return { ...api, site, methods: ['GET', 'POST'], path: `/v1/${api.id}`, credits: 1, example } as const;
}
