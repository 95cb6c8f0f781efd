import { batchQueue, type QueueName } from '@gleaner/queue';
import type { Services } from '../platform/context.ts';
import {
  freesCredits,
  type ChunkEnd,
  type ChunkKey,
  type ChunkOutcomes,
  type TakenChunk,
  takeChunks,
  type FreedSlots,
  type Taken,
} from '../runs/chunks/take-chunks.ts';
import { createChunkWriter, type ChunkWriter } from '../runs/chunks/write-chunks.ts';

/** A worker of which the test decides what its chunks end with. It says which slots it freed, as workers do. */
export interface TestWorker {
  flush: ChunkWriter['write'];
  end(chunk: TakenChunk, outcomes: ChunkOutcomes, end: ChunkEnd): Promise<void>;
  /** Takes what it may run for the free slots. */
  take(slots?: number): Promise<Taken>;
  /** A chunk of the run that it holds or may take, the oldest first. It keeps the chunks of other runs for later calls. */
  takeOf(runNo: string): Promise<TakenChunk | null>;
  /** Ends the chunk with one outcome for all of its tasks, after `busyMs`. */
  endAll(chunk: TakenChunk, how: 'succeed' | 'fail' | 'leave', busyMs?: number): Promise<void>;
}

export function createTestWorker(
  services: Services,
  workerId = 'wrk_test',
  queue: QueueName = batchQueue('http'),
): TestWorker {
  const writer = createChunkWriter(services, workerId);
  const held: TakenChunk[] = [];
  let freed: FreedSlots[] = [];
  /** Chunks of which a flush made room under `max_credits`, for when they end. */
  const haveFreed = new Set<string>();

  const holds = async ({ run, chunk, token }: TakenChunk): Promise<boolean> => {
    const rows = await services.db.sql`
      SELECT 1 FROM gleaner.chunks
      WHERE run_no = ${run} AND chunk = ${chunk} AND token = ${token}::text::bigint AND state = 'running'`;
    return rows.length === 1;
  };
  const take = async (slots = 1_000): Promise<Taken> => {
    const given = freed;
    freed = [];
    const taken = await takeChunks(services, { queue, workerId, slots, freed: given });
    freed.push(...given.filter(({ account }) => taken.missed.includes(account)));
    return taken;
  };
  const end = async (chunk: TakenChunk, outcomes: ChunkOutcomes, how: ChunkEnd): Promise<void> => {
    await writer.write(chunk, outcomes, { end: how });
    const hasFreed = haveFreed.delete(nameOf(chunk)) || freesCredits(outcomes);
    const isMore = hasFreed || how.retries.length > 0 || how.left.length > 0;
    freed.push({ account: chunk.accountId, ms: how.busyMs - chunk.charge, isMore });
  };
  return {
    take,
    takeOf: async (runNo) => {
      held.push(...(await take()).chunks);
      for (;;) {
        const place = held.findIndex(({ run }) => run === runNo);
        const [chunk] = place < 0 ? [] : held.splice(place, 1);
        if (!chunk) return null;
        if (await holds(chunk)) return chunk;
      }
    },
    flush: async (chunk, outcomes, options) => {
      const flushed = await writer.write(chunk, outcomes, options);
      if (freesCredits(outcomes)) haveFreed.add(nameOf(chunk));
      const { release = null } = options;
      if (release) freed.push({ account: chunk.accountId, ms: 0, isMore: release.left.length > 0 });
      return flushed;
    },
    end,
    endAll: async (chunk, how, busyMs = chunk.seqs.length) => {
      const succeeded = how === 'succeed' ? chunk.seqs : [];
      const failed = how === 'fail' ? chunk.seqs : [];
      await end(
        chunk,
        {
          succeeded,
          answers: succeeded.map(() => '{}'),
          failed,
          errors: failed.map(() => ({ code: 'fetch_failed' })),
        },
        { retries: [], left: how === 'leave' ? chunk.seqs : [], busyMs },
      );
    },
  };
}

function nameOf({ run, chunk, token }: ChunkKey): string {
  return `${run} ${chunk} ${token}`;
}
