import type { Operation, OperationInput, OperationOutput } from '@gleaner/contracts';
import type { Context, Services } from './context.ts';

/** The function of an operation: takes its parsed input and returns its answer. */
export type Perform<O extends Operation, S extends Services = Services> = (
  ctx: Context<S>,
  input: OperationInput<O>,
) => Promise<OperationOutput<O>>;
