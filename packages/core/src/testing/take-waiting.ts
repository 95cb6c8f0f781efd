import { batchQueue } from '@gleaner/queue';
import type { Services } from '../platform/context.ts';
import { type TakenChunk, takeChunks } from '../runs/chunks/take-chunks.ts';
import { wakeLostTurns } from '../runs/sweep/sweep-chunks.ts';

/**
 * Takes what a worker may run now, also after a test changed rows behind the engine's back.
 * @param slots of the worker
 */
export async function takeWaiting(
  services: Services,
  workerId: string,
  slots = 1_000,
): Promise<TakenChunk[]> {
  await wakeLostTurns(services);
  const { chunks } = await takeChunks(services, { queue: batchQueue('http'), workerId, slots, freed: [] });
  return chunks;
}
