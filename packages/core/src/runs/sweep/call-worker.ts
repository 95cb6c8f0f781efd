import { turnDelivery, type QueueBackend, type QueueName } from '@gleaner/queue';

/** Puts a message that work waits into a queue of batches, unless one is there. */
export async function callWorker(queue: QueueBackend, name: QueueName): Promise<void> {
  const { waiting = 0, prioritized = 0 } = await queue.counts(name);
  if (waiting + prioritized === 0) await queue.deliver([turnDelivery(name)]);
}
