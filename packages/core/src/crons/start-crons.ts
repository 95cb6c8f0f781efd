import { startPeriodicTask } from '../platform/process/periodic-task.ts';
import type { SubmitServices } from '../runs/submission/run-services.ts';
import { createCronFirer } from './firings/cron-firer.ts';
import { settleFirings } from './firings/settle-firings.ts';
import { handleWakeUp } from './wake-ups/handle-wake-up.ts';
import { mirrorCrons, repairWakeUps } from './wake-ups/mirror-crons.ts';

const LOOK_MS = 1_000;
const SETTLE_MS = 2_000;
const REPAIR_MS = 600_000;
/** Wake-ups that wait for the same look at once. */
const WAKE_UPS = 50;

/** Everything that a scheduler process does for crons. */
export interface CronDuties {
  /** Takes no new firings, and waits for those under way. */
  stop(): Promise<void>;
}

/**
 * Fires crons: a look at the table every second, at the moment when the next one is due, and at each wake-up of the
 * queue. The table decides and the queue only wakes, so any number of processes may do this at once, also while the queue
 * is away.
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
    startPeriodicTask({ name: 'ended firings', everyMs: SETTLE_MS, log }, () => settleFirings(db)),
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
