import { startPeriodicTask } from '../platform/process/periodic-task.ts';
import type { SubmitServices } from '../runs/submission/run-services.ts';
import { createCronFirer } from './firings/cron-firer.ts';
import { settleFirings } from './firings/firing.ts';
import { showCrons, showFiring } from './queue-view.ts';

const LOOK_MS = 1_000;
const SETTLE_MS = 2_000;
/** The most firings that are shown at the same time. */
const SHOWN_TOGETHER = 50;

/**
 * Fires crons as the table says, which any number of processes may read, also while the queue is unavailable; and shows
 * them in the queue.
 */
export function startCrons(services: SubmitServices) {
  const { db, queue, log } = services;
  const firer = createCronFirer(services);
  const consumer = queue.consume(
    'crons',
    async (payload, job) => {
      if (payload.kind === 'cron') await showFiring({ db, queue }, payload.id, job);
    },
    { concurrency: SHOWN_TOGETHER },
  );
  const duties = [
    startPeriodicTask({ name: 'due crons', everyMs: LOOK_MS, log }, firer.look),
    startPeriodicTask({ name: 'ended firings', everyMs: SETTLE_MS, log }, () => settleFirings(db)),
    startPeriodicTask({ name: 'shown crons', everyMs: LOOK_MS, log }, () => showCrons({ db, queue })),
  ];
  return {
    /** Stops taking firings, and waits for running ones. */
    stop: async (): Promise<void> => {
      await Promise.all(duties.map((duty) => duty.stop()));
      await consumer.close();
      await firer.settled();
    },
  };
}
