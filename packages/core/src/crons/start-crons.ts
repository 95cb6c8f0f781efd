import { toStorableJson } from '@gleaner/contracts';
import type { JobHandle, WakeUp } from '@gleaner/queue';
import type { Services } from '../platform/context.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { forEachAlone } from '../platform/process/for-each-alone.ts';
import { startPeriodicTask } from '../platform/process/periodic-task.ts';
import type { SubmitServices } from '../runs/submission/run-services.ts';
import { createCronFirer } from './firings/cron-firer.ts';
import { settleFirings } from './firings/fire-group.ts';

/**
 * Each enabled cron is also a job scheduler of BullMQ, so that operators see it in Bull Board. It is only a view: what
 * is early, late, lost or doubled in the queue changes no firing. Each is written once per change, because replacing one
 * drops its next job.
 */

const PAGE = 500;
/** How many are written at the same time. */
const PARALLEL = 50;
/** How long the job of a due time waits for its firing, at most. */
const LOOKS = 10;
const LOOK_AGAIN_MS = 500;

type Unmirrored = WakeUp & { definition: number; isEnabled: boolean };

/**
 * Writes the job schedulers of changed crons, and of all after the queue lost some. A cron that the queue refuses stays
 * as it is and stops no other. It throws when the queue or Postgres is unavailable, or refuses one.
 */
export async function showCrons({ db, queue }: Pick<Services, 'db' | 'queue'>): Promise<void> {
  const [mirrored] = await db.sql<{ count: number }[]>`
    SELECT count(*)::int AS count FROM gleaner.crons WHERE is_mirrored AND is_enabled`;
  // The queue lost some.
  if ((await queue.countWakeUps()) < (mirrored?.count ?? 0))
    await db.sql`UPDATE gleaner.crons SET is_mirrored = false WHERE is_mirrored AND is_enabled`;
  let last = '';
  for (;;) {
    const rows = await db.sql<Unmirrored[]>`
      SELECT id AS "cronId", definition, is_enabled AS "isEnabled", schedule, timezone, account_id AS account, name
      FROM gleaner.crons
      WHERE NOT is_mirrored AND id > ${last} ORDER BY id LIMIT ${PAGE}`;
    if (rows.length === 0) return;
    last = rows.at(-1)?.cronId ?? last;
    const shown: { id: string; definition: number }[] = [];
    const show = async ({ definition, isEnabled, ...wakeUp }: Unmirrored): Promise<void> => {
      if (isEnabled) await queue.setWakeUps([wakeUp]);
      else await queue.removeWakeUps([wakeUp.cronId]);
      shown.push({ id: wakeUp.cronId, definition });
    };
    try {
      await forEachAlone(rows, show, PARALLEL);
    } finally {
      await db.sql`
        UPDATE gleaner.crons c SET is_mirrored = true
        FROM jsonb_to_recordset(${toStorableJson(shown)}::text::jsonb) seen (id text, definition integer)
        WHERE c.id = seen.id AND c.definition = seen.definition`;
    }
  }
}

interface Latest {
  is_due: boolean;
  due: string | null;
  outcome: string | null;
  reason: string | null;
  run: string | null;
}

/** Shows the firing of a cron in its job, once it has fired. A cron that no longer fires loses its job scheduler. */
export async function showFiring(
  { db, queue }: Pick<Services, 'db' | 'queue'>,
  cronId: string,
  job: JobHandle,
): Promise<void> {
  for (let look = 1; ; look += 1) {
    const [latest] = await db.sql<Latest[]>`
      SELECT c.next_fire_at <= now() AS is_due, f.scheduled_at AS due, f.outcome, f.reason, f.run_id AS run
      FROM gleaner.crons c LEFT JOIN LATERAL (
        SELECT * FROM gleaner.cron_firings n WHERE n.cron_id = c.id ORDER BY n.id DESC LIMIT 1
      ) f ON true
      WHERE c.id = ${cronId} AND c.is_enabled`;
    if (!latest) return queue.removeWakeUps([cronId]);
    const { is_due: isDue, due, ...firing } = latest;
    if (due !== null && (!isDue || look === LOOKS))
      await job.setProgress({ due: new Date(due).toISOString(), ...firing });
    if (!isDue || look === LOOKS) return;
    await delay(LOOK_AGAIN_MS);
  }
}

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
