import type { Json, ParserField, ParserSchema } from './generated/operations.ts';

interface ValueTypes {
  string: string;
  number: number;
  integer: number;
  money: { amount: number; currency: string | null };
  duration: number;
  rating: { value: number; best: number | null };
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

/** Types that this version of the client doesn't know are `unknown`. */
type TypeOf<F> = F extends { type: infer T }
  ? T extends keyof ValueTypes
    ? ValueTypes[T]
    : unknown
  : string;

/** Whether the value is a list after the transform steps. */
type ListAfter<Steps, List extends boolean> = Steps extends readonly [infer Step, ...infer Rest]
  ? ListAfter<Rest, Step extends { split: string } ? true : Step extends { join: string } ? false : List>
  : List;

/** The relevant steps: those of the first source, which all others match, or else those of the field. */
type StepsOf<F> = F extends { any: readonly [{ transform: infer S }, ...unknown[]] }
  ? S
  : F extends { transform: infer S }
    ? S
    : [];

/** `page: "links"` and `page: "responses"` are always lists. */
type TakesAll<F> = F extends { take: infer T }
  ? T extends 'all'
    ? true
    : false
  : F extends { page: 'links' | 'responses' }
    ? true
    : false;

type IsList<F> = ListAfter<StepsOf<F>, TakesAll<F>>;

type OrNull<F, T> = F extends { assert: { on_fail: 'null' } } ? T | null : T;

type Nullable<F, T> = F extends { assert: { on_fail: 'null' } }
  ? T | null
  : F extends { default: infer D }
    ? D extends null
      ? T | null
      : T
    : F extends { required: true }
      ? T
      : T | null;

type ListOf<F, Item> = F extends { default: null } ? Item[] | null : Item[];

type SourceKey = 'css' | 'xpath' | 'jsonld' | 'microdata' | 'json' | 'any' | 'xhr';

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
      ? OrNull<F, number>
      : F extends { take: 'exists' }
        ? OrNull<F, boolean>
        : IsList<F> extends true
          ? ListOf<F, TypeOf<F>>
          : Nullable<F, TypeOf<F>>;

type InferFields<Fields> = string extends keyof Fields
  ? { [name: string]: unknown }
  : { -readonly [Name in keyof Fields]: InferField<Fields[Name]> };

/** The type of the data of a schema in code: `InferParser<typeof product>`. */
export type InferParser<S> = S extends { readonly fields: infer Fields }
  ? InferFields<Fields>
  : { [name: string]: unknown };

type FieldKey = keyof Extract<ParserField, object>;

type SourceName = SourceKey | 'meta' | 'const' | 'page';

/** The sources that a field surely has: a field of a wider type may have any. */
type GivenSources<F> = {
  [Key in keyof F & SourceName]-?: object extends Pick<F, Key> ? never : Key;
}[keyof F & SourceName];

/** Whether a union has two members or more. */
type IsSeveral<Union, All = Union> = true extends (
  Union extends unknown ? ([All] extends [Union] ? false : true) : never
)
  ? true
  : false;

/** What a field without a source lacks. */
type Sourced<F> =
  Extract<keyof F, SourceName | 'fields'> extends never
    ? { readonly css: 'a field has one source, such as css, or fields' }
    : unknown;

/**
 * A field, with `never` for unknown keys, because a generic parameter would accept any, and for the sources of a field that
 * has several.
 */
type Checked<F> = F extends string
  ? F
  : Sourced<F> & {
      readonly [Key in keyof F]: Key extends 'fields' | 'any'
        ? OnlyKnown<F[Key]>
        : Key extends SourceName
          ? IsSeveral<GivenSources<F>> extends true
            ? never
            : F[Key]
          : Key extends FieldKey
            ? F[Key]
            : never;
    };

type OnlyKnown<Fields> = { readonly [Name in keyof Fields]: Checked<Fields[Name]> };

/** Keeps a schema's literal types, from which its data type follows, and checks the schema against the language. */
export function defineParser<const S extends ParserSchema>(
  schema: S & { readonly fields: OnlyKnown<S['fields']> },
): S {
  return schema;
}
