import type { QueueBackend } from '@gleaner/queue';
import type { Logger } from '../../platform/log/log.ts';
import { deliverAdmitted, type AdmittedRow } from './admitted.ts';

/** How long deliveries wait for others. */
const WAIT_MS = 10;

/** Sends the deliveries of many transactions together: one call of the queue for each of them costs far more. */
export interface Outbox {
  add(rows: readonly AdmittedRow[]): void;
  /** Sends what is left, and waits for everything. */
  sent(): Promise<void>;
}

export function createOutbox(queue: QueueBackend, log: Logger): Outbox {
  let waiting: AdmittedRow[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();
  const send = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const rows = waiting;
    waiting = [];
    sending = Promise.all([sending, deliverAdmitted(queue, log, rows)]).then(() => undefined);
  };
  return {
    add: (rows) => {
      waiting.push(...rows);
      timer ??= setTimeout(send, WAIT_MS);
    },
    sent: async () => {
      send();
      await sending;
    },
  };
}
