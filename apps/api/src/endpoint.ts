import type { Operation, OperationInput, OperationOutput, UploadPart } from '@gleaner/contracts';
import type { Context } from '@gleaner/core';
import type { ApiServices } from './services.ts';

/** Validated parts of a request, with the operation's types erased. */
export interface ErasedInput {
  params: unknown;
  query: unknown;
  body: unknown;
  upload: AsyncIterable<UploadPart> | undefined;
}

/** An operation with the function that performs it. */
export interface Endpoint {
  operation: Operation;
  run: (ctx: Context<ApiServices>, input: ErasedInput) => unknown;
}

/** A function that performs an operation: takes its parsed input, gives its answer. */
export type OperationFunction<O extends Operation> = (
  ctx: Context<ApiServices>,
  input: OperationInput<O>,
) => Promise<OperationOutput<O>> | OperationOutput<O>;

// The route parses the input with the very schemas that O's types come from.
function erase<O extends Operation>(run: OperationFunction<O>): Endpoint['run'] {
  return run as Endpoint['run'];
}

/** Pairs an operation with its function; a wrong pairing does not compile. */
export function endpoint<O extends Operation>(operation: O, run: OperationFunction<O>): Endpoint {
  return {
    operation,
    run: erase(run),
  };
}

/** For what may hold a connection to Postgres for seconds: some at once for each account, the rest waits. */
export function inTurn<O extends Operation>(run: OperationFunction<O>): OperationFunction<O> {
  return (ctx, input) => ctx.services.turns.take(ctx.accountId, async () => run(ctx, input), ctx.signal);
}

/** An operation that anybody may call: its function sees no account. */
export function publicEndpoint<O extends Operation & { auth: 'public' }>(
  operation: O,
  run: (services: ApiServices, input: OperationInput<O>) => Promise<OperationOutput<O>> | OperationOutput<O>,
): Endpoint {
  return endpoint(operation, (ctx, input) => run(ctx.services, input));
}
