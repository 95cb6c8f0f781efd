import { batchQueue, ENGINES, turnDelivery, type QueueBackend, type QueueName } from '@gleaner/queue';
import type { Services } from '../../platform/context.ts';
import { hasTurns } from '../chunks/take-chunks.ts';

/** Puts a message that work waits into a queue of batches, unless one is there. */
export async function callWorker(queue: QueueBackend, name: QueueName): Promise<void> {
  const { waiting = 0, prioritized = 0 } = await queue.counts(name);
  if (waiting + prioritized === 0) await queue.deliver([turnDelivery(name)]);
}

/** Puts a message into each queue of batches in which accounts wait for their turn, unless one is there. */
export async function callWorkers({ db, queue }: Pick<Services, 'db' | 'queue'>): Promise<void> {
  for (const name of ENGINES.map(batchQueue)) {
    if (await hasTurns({ db }, name)) await callWorker(queue, name);
  }
}
