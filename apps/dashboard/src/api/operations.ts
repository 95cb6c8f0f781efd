import type * as contracts from '@gleaner/contracts';
import type { Operation } from '@gleaner/contracts';
import type { z } from 'zod';

type Contracts = typeof contracts;

export type OperationName = {
  [K in keyof Contracts]: Contracts[K] extends Operation ? K : never;
}[keyof Contracts];

/** The description of an operation, by its name; imports only types, so that the bundle has no schemas. */
export type OperationOf<N extends OperationName> = Extract<Contracts[N], Operation>;

type Given<S> = S extends z.ZodType ? z.input<S> : never;
type Part<K extends string, S> = S extends z.ZodType
  ? Record<string, never> extends Given<S>
    ? { [P in K]?: Given<S> }
    : { [P in K]: Given<S> }
  : unknown;

type Member<O, K extends string> = O extends { readonly [P in K]: infer S } ? S : undefined;

/** Path parameters, query and body of an operation, as its schemas take them. */
export type CallInput<N extends OperationName> = Part<'params', Member<OperationOf<N>, 'params'>> &
  Part<'query', Member<OperationOf<N>, 'query'>> &
  Part<'body', Member<OperationOf<N>, 'body'>>;

type Read<O extends Operation> = O['answer'] extends { schema: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** The response of an operation. */
export type CallOutput<N extends OperationName> = Read<OperationOf<N>>;
