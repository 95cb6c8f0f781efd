import type { Database } from '@gleaner/db';

export interface WorkerNotices {
  close(): Promise<void>;
}

/**
 * Listens for notices to workers: the id of a cancelled request, the number of a cancelled run, or `yield:<account>`.
 * Every login of the database may send them, so Postgres confirms each from its tables before it is passed on.
 * @param isWatched whether this process has work that the notice concerns; others are dropped without a query
 */
export async function openWorkerNotices(
  db: Database,
  isWatched: (notice: string) => boolean,
  onNotice: (notice: string) => void,
): Promise<WorkerNotices> {
  const confirm = async (notice: string): Promise<void> => {
    if (!isWatched(notice)) return;
    const [row] = await db.sql<{ is_true: boolean }[]>`SELECT engine.confirms_notice(${notice}) AS is_true`;
    if (row?.is_true === true) onNotice(notice);
  };
  const [channel] = await db.sql<{ name: string }[]>`SELECT engine.notice_channel() AS name`;
  if (!channel) throw new Error('notice_channel returned nothing');
  const subscription = await db.listen(channel.name, (notice) => {
    // Without Postgres no notice can be confirmed: cancelled work then ends with its lease.
    confirm(notice).catch(() => undefined);
  });
  return { close: () => subscription.unlisten() };
}
