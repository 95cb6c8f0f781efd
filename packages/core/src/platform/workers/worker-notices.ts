import { ENGINE } from '@gleaner/db';
import type { Services } from '../context.ts';

/**
 * Listens for notices to workers: the id of a cancelled request, the number of a cancelled run, or `yield:<account>`.
 * Without Redis, every database login can send notices, so each is confirmed from the tables before it is passed on.
 * @param isWatched whether the notice concerns work of this process; other notices are dropped without a query
 */
export async function openWorkerNotices(
  { db, queue }: Pick<Services, 'db' | 'queue'>,
  isWatched: (notice: string) => boolean,
  onNotice: (notice: string) => void,
): Promise<{ close: () => Promise<void> }> {
  const confirm = async (notice: string): Promise<void> => {
    if (!isWatched(notice)) return;
    const [row] = await db.sql<
      { is_true: boolean }[]
    >`SELECT ${db.sql(ENGINE)}.confirms_notice(${notice}) AS is_true`;
    if (row?.is_true === true) onNotice(notice);
  };
  const [channel] = await db.sql<{ name: string }[]>`SELECT ${db.sql(ENGINE)}.notice_channel() AS name`;
  if (!channel) throw new Error('notice_channel returned nothing');
  const subscription = await queue.signals.listen(channel.name, (notice) => {
    // Without Postgres, no notice can be confirmed. Cancelled work then ends with its lease.
    confirm(notice).catch(() => undefined);
  });
  return { close: () => subscription.close() };
}
