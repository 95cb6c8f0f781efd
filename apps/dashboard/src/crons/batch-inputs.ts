import { call, client, type CallOutput } from '../api/call.ts';
import { isLive } from '../runs/run-state.ts';

/** A longer list is better pasted or kept in a file. */
export const MAX_COPIED = 2_000;

interface Input {
  url: string;
  input?: Record<string, unknown>;
}

function lineOf({ url, input }: Input): string {
  return input === undefined ? url : JSON.stringify(input);
}

async function linesOf(inputs: AsyncIterable<Input>): Promise<string[]> {
  const lines: string[] = [];
  for await (const input of inputs) lines.push(lineOf(input));
  return lines;
}

/** The form's start: what a batch read, one input a line. */
export interface CopiedBatch {
  batch: CallOutput<'getBatch'>;
  /** Empty when they have expired, or are too many. */
  inputs: string;
}

/** Reads the inputs of a finished batch from its results and failures. */
export async function copyBatch(id: string): Promise<CopiedBatch> {
  const batch = await call('getBatch', { params: { id } });
  if (isLive(batch) || batch.mode === 'database' || batch.counts.total > MAX_COPIED)
    return { batch, inputs: '' };
  const [done, failed] = await Promise.all([
    linesOf(client.batches.results(id, { limit: 100 })),
    linesOf(client.batches.failures(id, { limit: 100 })),
  ]);
  return { batch, inputs: [...done, ...failed].join('\n') };
}
