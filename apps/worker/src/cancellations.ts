import { CANCEL_CHANNEL } from '@gleaner/core';
import type { Database } from '@gleaner/db';

/** Work of this process that can be told to stop by its id. */
export interface Cancellations {
  /** A signal that is aborted when the id is cancelled; forget it when the work has ended. */
  watch(id: string): { signal: AbortSignal; abort: (reason: string) => void; forget: () => void };
  close(): Promise<void>;
}

/** Listens for cancelled requests and runs. */
export const openCancellations = async (db: Database): Promise<Cancellations> => {
  const running = new Map<string, Set<AbortController>>();
  const abort = (id: string): void => {
    for (const controller of running.get(id) ?? []) controller.abort(new Error('cancelled'));
  };
  const subscription = await db.sql.listen(CANCEL_CHANNEL, abort);
  return {
    watch: (id) => {
      const controller = new AbortController();
      const controllers = running.get(id) ?? new Set();
      running.set(id, controllers.add(controller));
      return {
        signal: controller.signal,
        abort: (reason) => controller.abort(new Error(reason)),
        forget: () => {
          controllers.delete(controller);
          if (controllers.size === 0) running.delete(id);
        },
      };
    },
    close: async () => {
      await subscription.unlisten();
    },
  };
};
