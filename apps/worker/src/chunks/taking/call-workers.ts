import { callWorker, type Logger } from '@gleaner/core';
import type { QueueBackend, QueueName } from '@gleaner/queue';

/** How often a worker puts a message into the queue, at most. */
const CALL_MS = 100;

/** Returns a function that makes some worker look for work soon, unless a message to do so is in the queue. */
export function createCaller(queue: QueueBackend, name: QueueName, log: Logger): () => void {
  let calledAt = -Infinity;
  let calling: NodeJS.Timeout | undefined;
  const call = async (): Promise<void> => {
    calling = undefined;
    calledAt = performance.now();
    try {
      await callWorker(queue, name);
    } catch (error) {
      log.warn({ err: error, queue: name }, 'the queue took no message; workers look by themselves');
    }
  };
  return () => {
    calling ??= setTimeout(() => void call(), Math.max(0, calledAt + CALL_MS - performance.now()));
  };
}
