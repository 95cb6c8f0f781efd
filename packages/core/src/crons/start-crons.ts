import { startPeriodicTask } from '../platform/process/periodic-task.ts';
import type { SubmitServices } from '../runs/submission/run-services.ts';
import { createCronFirer } from './firings/cron-firer.ts';
import { createFiringSettler } from './firings/settle-firings.ts';
import { handleWakeUp } from './wake-ups/handle-wake-up.ts';
import { mirrorCrons, repairWakeUps } from './wake-ups/mirror-crons.ts';

const LOOK_MS = 1_000;
/** The time between two looks at ended firings: at a part of them, and at all of them. */
const SETTLE_PART_MS = 250;
const SETTLE_MS = 2_000;
const REPAIR_MS = 600_000;
/** The most wake-ups that wait for the same round. */
const WAKE_UPS = 50;

/** The work of a scheduler process for crons. */
export interface CronDuties {
  /** Stops taking firings, and waits for running ones. */
  stop(): Promise<void>;
}

/**
 * Fires crons: reads the table every second, when the next cron is due, and at each wake-up of the queue. The table
 * decides and the queue only wakes, so any number of processes may do this, also while the queue is unavailable.
 */
export function startCrons(services: SubmitServices): CronDuties {
  const { db, queue, log } = services;
  const firer = createCronFirer(services);
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    clearTimeout(timer);
    const dueInMs = await firer.look();
    if (dueInMs === undefined || dueInMs >= LOOK_MS) return;
    timer = setTimeout(() => {
      // A failure is logged by the next round of the duty, which fails as well.
      look().catch(() => undefined);
    }, Math.ceil(dueInMs));
  };
  const consumer = queue.consume(
    'crons',
    async (payload, job) => {
      if (payload.kind === 'cron') await handleWakeUp({ db, queue, firer }, payload.id, job);
    },
    { concurrency: WAKE_UPS },
  );
  const duties = [
    startPeriodicTask({ name: 'due crons', everyMs: LOOK_MS, log }, look),
    startPeriodicTask({ name: 'coming crons', everyMs: LOOK_MS, log }, firer.prepare),
    startPeriodicTask(
      { name: 'ended firings', everyMs: SETTLE_PART_MS, log },
      createFiringSettler(db, SETTLE_MS),
    ),
    startPeriodicTask({ name: 'wake-ups', everyMs: LOOK_MS, log }, () => mirrorCrons({ db, queue })),
    startPeriodicTask({ name: 'lost wake-ups', everyMs: REPAIR_MS, log }, () => repairWakeUps({ db, queue })),
  ];
  return {
    stop: async () => {
      await Promise.all(duties.map((duty) => duty.stop()));
      clearTimeout(timer);
      await consumer.close();
      await firer.settled();
    },
  };
}
