import type { Operation, OperationInput, OperationOutput, UploadPart } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import type { Perform } from '../platform/perform.ts';
import type { OperationServices } from './operation-services.ts';

/** The validated parts of an input, with the operation's types erased. */
export interface ParsedInput {
  params: unknown;
  query: unknown;
  body: unknown;
  upload: AsyncIterable<UploadPart> | undefined;
}

/** An operation with its function: one row of the table of operations. */
export interface OperationEntry {
  operation: Operation;
  perform: (ctx: Context<OperationServices>, input: ParsedInput) => unknown;
}

// Calls parse the input with the schemas from which O's types are derived.
function erase<O extends Operation>(perform: Perform<O, OperationServices>): OperationEntry['perform'] {
  return perform as OperationEntry['perform'];
}

/** Pairs an operation with its function. A wrong pair does not compile. */
export function pair<O extends Operation>(
  operation: O,
  perform: Perform<O, OperationServices>,
): OperationEntry {
  return { operation, perform: erase(perform) };
}

/** Pairs a public operation with its function, which gets no account. */
export function pairPublic<O extends Operation & { auth: 'public' }>(
  operation: O,
  perform: (input: OperationInput<O>) => Promise<OperationOutput<O>> | OperationOutput<O>,
): OperationEntry {
  return pair(operation, async (_ctx, input) => perform(input));
}
