import { AppError, PAUSABLE_QUEUES } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import { shareFor } from '../process/share-for.ts';
import type { QueueBackend, QueueName } from '@gleaner/queue';

/** How long a process takes a queue for what it was. */
const SHARED_MS = 1_000;

/** Pauses a queue of work, or lets it go on, within about two seconds. */
export async function setQueuePause({ sql }: Database, queue: QueueName, isPaused: boolean): Promise<void> {
  if (isPaused) await sql`INSERT INTO gleaner.queue_pauses (queue) VALUES (${queue}) ON CONFLICT DO NOTHING`;
  else await sql`DELETE FROM gleaner.queue_pauses WHERE queue = ${queue}`;
}

export async function readPausedQueues({ sql }: Database): Promise<Set<string>> {
  const rows = await sql<{ queue: string }[]>`SELECT queue FROM gleaner.queue_pauses`;
  return new Set(rows.map(({ queue }) => queue));
}

/** Pauses queues as the rows say, also after BullMQ lost it: workers ask BullMQ for jobs. */
export async function applyPauses({ db, queue }: { db: Database; queue: QueueBackend }): Promise<void> {
  const paused = await readPausedQueues(db);
  for (const name of PAUSABLE_QUEUES) {
    const shown = queue.queue(name);
    const isPaused = paused.has(name);
    if ((await shown.isPaused()) !== isPaused) await (isPaused ? shown.pause() : shown.resume());
  }
}

/** Refuses what would wait in a paused queue. @throws AppError temporarily_unavailable */
export type RefusePaused = (queue: QueueName) => Promise<void>;

export function createPauseCheck(db: Database, sharedMs = SHARED_MS): RefusePaused {
  const paused = shareFor(sharedMs, () => readPausedQueues(db));
  return async (queue) => {
    if ((await paused()).has(queue))
      throw new AppError('temporarily_unavailable', {
        detail: `the operator has paused the queue ${queue}`,
        retryAfterSeconds: 10,
      });
  };
}
