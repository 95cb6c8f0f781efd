import {
  chunkDelivery,
  requestDelivery,
  type Delivery,
  type QueueBackend,
  type QueueName,
} from '@gleaner/queue';
import type { Logger } from '../../platform/log/log.ts';

/** Work that was given its slots in a transaction and must now reach the queue: a row of `engine.admit`. */
export interface AdmittedRow {
  kind: string | null;
  id: string | null;
  queue: string | null;
  attempt: number | null;
  rank: number | null;
}

function toDelivery(row: AdmittedRow): Delivery | null {
  if (row.id === null || row.queue === null || row.attempt === null) return null;
  // The queue's name was written by submit_request or create_run, which take it from the catalog.
  const queue = row.queue as QueueName;
  if (row.kind !== 'chunk') return requestDelivery(queue, row.id, row.attempt);
  const [run = '', chunk, deliveries, account = '', runId = '', range = ''] = row.id.split(':');
  return chunkDelivery(queue, {
    run,
    chunk: Number(chunk),
    deliveries: Number(deliveries),
    attempt: row.attempt,
    rank: row.rank ?? 1,
    account,
    runId,
    range,
  });
}

/** What went wrong with single runs and accounts in a sweep: its rows of kind `fault`. */
export function listFaults(rows: readonly AdmittedRow[]): string[] {
  return rows.filter((row) => row.kind === 'fault').map((row) => row.id ?? '');
}

/**
 * Puts admitted work into the queue. A failure is logged and healed by the sweeper: the slots are held by leases.
 */
export async function deliverAdmitted(
  queue: QueueBackend,
  log: Logger,
  rows: readonly AdmittedRow[],
): Promise<void> {
  const deliveries = rows.map(toDelivery).filter((delivery) => delivery !== null);
  if (deliveries.length === 0) return;
  try {
    await queue.deliver(deliveries);
  } catch (error) {
    log.warn(
      { err: error, count: deliveries.length },
      'admitted work did not reach the queue; the sweeper will',
    );
  }
}
