import type { Operation, UploadPart } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
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
