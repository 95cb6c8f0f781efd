import type { Services } from '../../platform/context.ts';

/**
 * Sets how many slots of each batch queue one account's chunks may hold, from the capacity of live workers and the number
 * of accounts. Call about once a second.
 */
export async function setQueueLevels({ db }: Pick<Services, 'db'>): Promise<void> {
  await db.sql`SELECT engine.set_queue_levels()`;
}
