import type { Database } from '@gleaner/db';

/** Work of this process that can be told to stop by its id. */
export interface Cancellations {
  /** A signal that is aborted when the id is cancelled; forget it when the work has ended. */
  watch(id: string): { signal: AbortSignal; abort: (reason: string) => void; forget: () => void };
  close(): Promise<void>;
}

/**
 * Listens for cancelled requests and runs. Anybody with a login of the database may send notices, so a worker asks Postgres
 * before it acts on one.
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
    // While Postgres is away nothing can be asked: leases tell of what was cancelled.
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
