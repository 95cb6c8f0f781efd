import type { Operation, OperationInput, OperationOutput, UploadPart } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import type { OperationServices } from './operation-services.ts';

/** The validated parts of an input, with the operation's types erased. */
export interface ParsedInput {
  params: unknown;
  query: unknown;
  body: unknown;
  upload: AsyncIterable<UploadPart> | undefined;
}

/** An operation with the function that performs it: one row of the table that all doors share. */
export interface OperationEntry {
  operation: Operation;
  perform: (ctx: Context<OperationServices>, input: ParsedInput) => unknown;
}

/** A function that performs an operation: takes its parsed input, gives its answer. */
type OperationFunction<O extends Operation> = (
  ctx: Context<OperationServices>,
  input: OperationInput<O>,
) => Promise<OperationOutput<O>> | OperationOutput<O>;

// Calls parse the input with the very schemas that O's types come from.
function erase<O extends Operation>(perform: OperationFunction<O>): OperationEntry['perform'] {
  return perform as OperationEntry['perform'];
}

/** Pairs an operation with its function; a wrong pairing does not compile. */
export function pair<O extends Operation>(operation: O, perform: OperationFunction<O>): OperationEntry {
  return { operation, perform: erase(perform) };
}

/** Pairs an operation that anybody may call: its function sees no account. */
export function pairPublic<O extends Operation & { auth: 'public' }>(
  operation: O,
  perform: (input: OperationInput<O>) => Promise<OperationOutput<O>> | OperationOutput<O>,
): OperationEntry {
  return pair(operation, (_ctx, input) => perform(input));
}
