import type * as contracts from '@gleaner/contracts';
import type { Context, Services } from './context.ts';

type Contracts = typeof contracts;

/** The operations that contracts define one by one, by their ids; the forms of the prebuilt APIs are beside them. */
export type OperationName = {
  [N in keyof Contracts]: Contracts[N] extends { id: N; method: contracts.Method } ? N : never;
}[keyof Contracts];

type Defined<N extends OperationName> = Extract<Contracts[N], contracts.Operation>;
export type InputOf<N extends OperationName> = contracts.OperationInput<Defined<N>>;
export type OutputOf<N extends OperationName> = contracts.OperationOutput<Defined<N>>;

/** The function of an operation: takes its parsed input and returns its answer. */
export type Perform<N extends OperationName, S extends Services = Services> = (
  ctx: Context<S>,
  input: InputOf<N>,
) => Promise<OutputOf<N>>;
