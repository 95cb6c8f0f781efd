import { ChunkLostError, mayBeOneRow, type ChunkOutcomes } from '@gleaner/core';
import type { ChunkState, TakenOutcomes } from './chunk-state.ts';

/** Whether a value of some outcome may be why Postgres refuses a statement. */
export function isRefused(error: unknown): boolean {
  return mayBeOneRow(error) && !(error instanceof ChunkLostError);
}

interface SingleFlush {
  write: (taken: TakenOutcomes) => Promise<unknown>;
  onRefused: (error: unknown) => void;
  onWritten: (outcomes: ChunkOutcomes) => void;
}

/**
 * Writes each outcome of a chunk alone. What Postgres refuses even so becomes a failure of its task.
 * @throws what else prevents a write; outcomes that are not written are in the buffer again
 */
export async function flushSingly(
  state: Pick<ChunkState, 'takeOne'>,
  { write, onRefused, onWritten }: SingleFlush,
): Promise<void> {
  for (let taken = state.takeOne(); taken !== undefined; taken = state.takeOne()) {
    try {
      await write(taken);
    } catch (error) {
      if (!isRefused(error)) {
        taken.giveBack();
        throw error;
      }
      onRefused(error);
      taken.replace({ code: 'internal', detail: 'its result could not be stored' });
      await write(taken).catch((again: unknown) => {
        taken?.giveBack();
        throw again;
      });
    }
    taken.settle();
    onWritten(taken.outcomes());
  }
}
