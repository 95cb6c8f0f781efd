import {
  requestDelivery,
  turnDelivery,
  type Delivery,
  type QueueBackend,
  type QueueName,
} from '@gleaner/queue';
import type { Logger } from '../../platform/log/log.ts';

interface AdmittedRequest {
  kind: 'request';
  queue: QueueName;
  attempt: number;
  request_id: string;
  account_id: string;
  queue_position: number;
}

interface AdmittedNotice {
  kind: 'notice';
  /** The channel. */
  queue: string;
  notice: string;
}

/** Some worker should look for work in the queue. */
interface AdmittedTurn {
  kind: 'turn';
  queue: QueueName;
}

/**
 * Messages that a transaction returns and its caller sends after the commit: admitted work for the queue, and notices to
 * other processes. These are the columns of SQL's `engine.delivery`.
 * Functions with an outcome return one row without a delivery (`kind` null) when they admitted nothing.
 */
export type AdmittedRow = AdmittedRequest | AdmittedTurn | AdmittedNotice | { kind: null };

/** SQL's `engine.sweep_row`: a delivery, or the error of one run, request or account. */
export type SweepRow = AdmittedRow & { fault: string | null };

function toDelivery(row: AdmittedRow): Delivery[] {
  if (row.kind === null || row.kind === 'notice') return [];
  if (row.kind === 'turn') return [turnDelivery(row.queue)];
  const { queue, request_id, attempt, account_id, queue_position } = row;
  return [requestDelivery(queue, { id: request_id, attempt, account: account_id, rank: queue_position })];
}

/** The errors of single runs, requests and accounts in a sweep. */
export function listFaults(rows: readonly SweepRow[]): string[] {
  return rows.flatMap(({ fault }) => fault ?? []);
}

/**
 * Puts admitted work into the queue and sends notices. A failure is only logged: workers look for work by themselves, and
 * the sweeper delivers requests again.
 */
export async function deliverAdmitted(
  queue: QueueBackend,
  log: Logger,
  rows: readonly AdmittedRow[],
): Promise<void> {
  for (const row of rows) if (row.kind === 'notice') queue.signals.send(row.queue, row.notice);
  const deliveries = rows.flatMap(toDelivery);
  if (deliveries.length === 0) return;
  try {
    await queue.deliver(deliveries);
  } catch (error) {
    log.warn(
      { err: error, count: deliveries.length },
      'work did not reach the queue; workers find it when they look',
    );
  }
}
