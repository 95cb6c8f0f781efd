import { ENGINE } from '@gleaner/db';
import type { QueueName } from '@gleaner/queue';
import type { Services } from '../../platform/context.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';
import type { RequestKey } from './start-requests.ts';

/** How long it waits for other work of its account. */
const LOCK_MS = 3_000;

/**
 * Lets a request go on by another of its ways, in the queue of its workers. It keeps what is reserved for it. One that has
 * ended meanwhile, or has another attempt, stays as it is.
 */
export async function climbRequest(
  { db, queue, log }: Pick<Services, 'db' | 'queue' | 'log'>,
  { id, attempt }: RequestKey,
  to: { way: number; queue: QueueName },
): Promise<void> {
  const rows = await db.sql<AdmittedRow[]>`
    SELECT * FROM ${db.sql(ENGINE)}.climb_request(
      p_id => ${id}, p_attempt => ${attempt}, p_way => ${to.way}, p_queue => ${to.queue}, p_lock_ms => ${LOCK_MS})`;
  await deliverAdmitted(queue, log, rows);
}
