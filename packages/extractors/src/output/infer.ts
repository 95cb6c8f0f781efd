import type { FieldType, ParserSchema, TransformStep } from '@gleaner/contracts';
import type { Json } from '../json/jsonpath.ts';

interface ValueTypes {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  date: string;
  datetime: string;
  url: string;
  html: string;
  text: string;
  markdown: string;
  json: Json;
  table: Record<string, string | null>[];
}

type TypeOf<F> = F extends { type: infer T extends FieldType } ? ValueTypes[T] : string;

/** Whether the value is a list after the steps. */
type ListAfter<Steps, List extends boolean> = Steps extends readonly [infer Step, ...infer Rest]
  ? ListAfter<Rest, Step extends { split: string } ? true : Step extends { join: string } ? false : List>
  : List;

type StepsOf<F> = F extends { transform: infer S extends readonly TransformStep[] } ? S : [];

/** `page: "links"` is a list by itself. */
type TakesAll<F> = F extends { take: infer T }
  ? T extends 'all'
    ? true
    : false
  : F extends { page: 'links' }
    ? true
    : false;

type IsList<F> = ListAfter<StepsOf<F>, TakesAll<F>>;

type Nullable<F, T> = F extends { assert: { on_fail: 'null' } }
  ? T | null
  : F extends { required: true }
    ? T
    : F extends { default: infer D }
      ? D extends null
        ? T | null
        : T
      : T | null;

type SourceKey = 'css' | 'xpath' | 'jsonld' | 'microdata' | 'json' | 'xhr' | 'any';

type ObjectOf<F, Inner> = F extends { take: 'all' }
  ? InferFields<Inner>[]
  : Extract<keyof F, SourceKey> extends never
    ? InferFields<Inner>
    : Nullable<F, InferFields<Inner>>;

type InferField<F> = F extends string
  ? string | null
  : F extends { fields: infer Inner }
    ? ObjectOf<F, Inner>
    : F extends { take: 'count' }
      ? F extends { assert: { on_fail: 'null' } }
        ? number | null
        : number
      : F extends { take: 'exists' }
        ? F extends { assert: { on_fail: 'null' } }
          ? boolean | null
          : boolean
        : IsList<F> extends true
          ? TypeOf<F>[]
          : Nullable<F, TypeOf<F>>;

type InferFields<Fields> = { [Name in keyof Fields]: InferField<Fields[Name]> };

/** The type of the data that a schema written in code gives: `InferParser<typeof schema>`. */
export type InferParser<S> = S extends { fields: infer Fields } ? InferFields<Fields> : never;

/** Keeps a schema's literal types, so that InferParser can read them, and checks it against the language. */
export function defineParser<const S extends ParserSchema>(schema: S): S {
  return schema;
}
