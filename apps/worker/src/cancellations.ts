import type { Database } from '@gleaner/db';

/** Cancels running work of this process by its id. */
export interface Cancellations {
  /** Returns a signal that aborts when the id is cancelled. Call `forget` when the work has ended. */
  watch(id: string): { signal: AbortSignal; abort: (reason: string) => void; forget: () => void };
  close(): Promise<void>;
}

/**
 * Listens for cancelled requests and runs. Every database login can send notices, so the worker verifies each one in
 * Postgres before it acts.
 */
export async function openCancellations(db: Database): Promise<Cancellations> {
  const running = new Map<string, Set<AbortController>>();
  const abort = (id: string): void => {
    for (const controller of running.get(id) ?? []) controller.abort(new Error('cancelled'));
  };
  const onNotice = async (id: string): Promise<void> => {
    if (!running.has(id)) return;
    const [row] = await db.sql<{ is_true: boolean }[]>`SELECT engine.is_true_notice(${id}) AS is_true`;
    if (row?.is_true === true) abort(id);
  };
  const [channel] = await db.sql<{ name: string }[]>`SELECT engine.notice_channel() AS name`;
  if (!channel) throw new Error('notice_channel returned nothing');
  const subscription = await db.sql.listen(channel.name, (id) => {
    // Without Postgres a notice can't be verified; the next lease renewal reports the cancellation.
    onNotice(id).catch(() => undefined);
  });
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
}
