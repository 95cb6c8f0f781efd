import { openWorkerNotices, type Services } from '@gleaner/core';

/** Cancels running work of this process by its id. */
export interface Cancellations {
  /** Returns a signal that aborts when the id is cancelled. Call `forget` when the work has ended. */
  watch(id: string): { signal: AbortSignal; abort: (reason: string) => void; forget: () => void };
  close(): Promise<void>;
}

/** Listens for cancelled requests and runs. */
export async function openCancellations(services: Pick<Services, 'db' | 'queue'>): Promise<Cancellations> {
  const running = new Map<string, Set<AbortController>>();
  const notices = await openWorkerNotices(
    services,
    (id) => running.has(id),
    (id) => {
      for (const controller of running.get(id) ?? []) controller.abort(new Error('cancelled'));
    },
  );
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
    close: () => notices.close(),
  };
}
