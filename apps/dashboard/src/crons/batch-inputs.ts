import { call, type CallOutput } from '../api/call.ts';
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

async function readAll(
  read: (cursor: string | undefined) => Promise<{ items: readonly Input[]; cursor?: string | undefined }>,
): Promise<string[]> {
  const lines: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    lines.push(...page.items.map(lineOf));
    cursor = page.cursor;
  } while (cursor !== undefined && lines.length < MAX_COPIED);
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
    readAll(async (cursor) => {
      const { results, ...rest } = await call('getBatchResults', { params: { id }, query: { cursor } });
      return { items: results, cursor: rest.cursor };
    }),
    readAll(async (cursor) => {
      const { failures, ...rest } = await call('getBatchFailures', { params: { id }, query: { cursor } });
      return { items: failures, cursor: rest.cursor };
    }),
  ]);
  return { batch, inputs: [...done, ...failed].join('\n') };
}
