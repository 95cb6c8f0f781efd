import { startPeriodicTask, type Logger, type StorageWatch } from '@gleaner/core';
import type { Fetcher } from '@gleaner/fetching';
import type { BatchWork } from './batch-work.ts';
import type { InteractiveWork } from './interactive-work.ts';

const LOOK_MS = 500;

export interface RoomWatch {
  /** Why this worker takes no work now; null: it takes some. */
  refusal(): string | null;
  stop(): Promise<void>;
}

interface RoomWatchDeps {
  log: Logger;
  fetcher: Pick<Fetcher, 'admission'>;
  storage: Pick<StorageWatch, 'hasDisk'>;
  batches: Pick<BatchWork, 'refuse'>;
  requests: Pick<InteractiveWork, 'pause' | 'resume'>;
}

/** While memory or the database's disk is short, this worker takes no work; other workers take what waits. */
export function watchRoom({ log, fetcher, storage, batches, requests }: RoomWatchDeps): RoomWatch {
  let refusal: string | null = null;
  const { stop } = startPeriodicTask({ name: 'admission', everyMs: LOOK_MS, log }, async () => {
    const reason = fetcher.admission().reason ?? null;
    const hasClosed = reason !== null && refusal === null;
    const hasOpened = reason === null && refusal !== null;
    refusal = reason;
    // What is fetched could not be stored.
    const hasDisk = await storage.hasDisk();
    batches.refuse(reason !== null || !hasDisk);
    if (hasClosed) await requests.pause();
    if (hasOpened) requests.resume();
  });
  return { refusal: () => refusal, stop };
}
