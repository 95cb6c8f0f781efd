import {
  requestDeliveries,
  turnDelivery,
  type Delivery,
  type QueueBackend,
  type QueueName,
  type RequestMember,
} from '@gleaner/queue';
import type { Services } from '../../platform/context.ts';
import type { Logger } from '../../platform/log/log.ts';

type AdmittedRequest = {
  kind: 'request';
  queue: QueueName;
  attempt: number;
  request_id: string;
  account_id: string;
  queue_position: number;
};

type AdmittedNotice = {
  kind: 'notice';
  /** The channel. */
  queue: string;
  notice: string;
};

/** Some worker should look for work in the queue. */
type AdmittedTurn = {
  kind: 'turn';
  queue: QueueName;
};

/**
 * Messages that a transaction returns and its caller sends after the commit: admitted work for the queue, and notices to
 * other processes. These are the columns of SQL's `engine.delivery`.
 * Functions with an outcome return one row without a delivery (`kind` null) when they admitted nothing.
 */
export type AdmittedRow = AdmittedRequest | AdmittedTurn | AdmittedNotice | { kind: null };

/** SQL's `engine.sweep_row`: a delivery, or the error of one run, request or account. */
export type SweepRow = AdmittedRow & { fault: string | null };

/** Puts admitted work into the queue: requests in as few jobs as fairness allows, and one message that accounts wait. */
export async function deliverToQueue(queue: QueueBackend, rows: readonly AdmittedRow[]): Promise<void> {
  const byQueue = new Map<QueueName, RequestMember[]>();
  const turns = new Set(rows.flatMap((row) => (row.kind === 'turn' ? [row.queue] : [])));
  const deliveries: Delivery[] = [...turns].map(turnDelivery);
  for (const row of rows) {
    if (row.kind !== 'request') continue;
    const members = byQueue.get(row.queue) ?? [];
    byQueue.set(row.queue, members);
    const { request_id: id, attempt, account_id: account, queue_position: rank } = row;
    members.push({ id, attempt, account, rank });
  }
  for (const [name, members] of byQueue) deliveries.push(...requestDeliveries(name, members));
  if (deliveries.length > 0) await queue.deliver(deliveries);
}

export function sendNotices({ signals }: QueueBackend, rows: readonly AdmittedRow[]): void {
  for (const row of rows) if (row.kind === 'notice') signals.send(row.queue, row.notice);
}

/**
 * Puts admitted work into the queue and sends notices. A failure is only logged: workers look for work by themselves, and
 * whoever waits for a request delivers it again.
 */
export async function deliverAdmitted(
  queue: QueueBackend,
  log: Logger,
  rows: readonly AdmittedRow[],
): Promise<void> {
  sendNotices(queue, rows);
  try {
    await deliverToQueue(queue, rows);
  } catch (error) {
    log.warn(
      { err: error, count: rows.length },
      'work did not reach the queue; workers find it when they look',
    );
  }
}

/** `deliverAdmitted` of a sweep's rows; logs its faults in one line. */
export async function deliverSwept(
  { queue, log }: Pick<Services, 'queue' | 'log'>,
  rows: readonly SweepRow[],
): Promise<void> {
  const faults = rows.flatMap(({ fault }) => fault ?? []);
  if (faults.length > 0) {
    log.warn(
      { count: faults.length, faults: faults.slice(0, 5) },
      'parts of a sweep failed; the next round tries again',
    );
  }
  await deliverAdmitted(queue, log, rows);
}
