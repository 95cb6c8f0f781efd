import type { Services } from '../platform/context.ts';
import { chunkDuties, takeBackChunks } from '../runs/sweep/sweep-chunks.ts';

type SweepServices = Pick<Services, 'db' | 'queue' | 'log'>;

/** Returns a function that does one round of the leader's duties for chunks; one that fails stops no other. */
export function createChunkSweeper(services: SweepServices): () => Promise<void> {
  const duties = chunkDuties(services);
  return async () => {
    for (const { run } of duties) await run().catch(() => undefined);
  };
}

/** One such round. @param before chunks whose lease expired before are taken back */
export async function sweepChunks(services: SweepServices, before: string | undefined): Promise<void> {
  if (before !== undefined) await takeBackChunks(services, before).catch(() => undefined);
  await createChunkSweeper(services)();
}
