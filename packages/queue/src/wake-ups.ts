import { nextFiring } from '@gleaner/contracts';
import type { Queue, RepeatStrategy } from 'bullmq';
import { jobOptions, type QueueBackend } from './backend.ts';

/** BullMQ's own reading of schedules differs from ours where clocks change. */
const repeatStrategy: RepeatStrategy = (millis, { pattern, tz }) =>
  pattern === undefined ? undefined : (nextFiring(pattern, tz ?? 'UTC', millis) ?? undefined);

/** For every queue and worker: with it, BullMQ computes the next job of a scheduler as Gleaner computes firings. */
export const WAKE_UP_SETTINGS = { repeatStrategy };

type WakeUps = Pick<QueueBackend, 'setWakeUps' | 'removeWakeUps' | 'countWakeUps'>;

export function wakeUpsOf(queue: () => Queue): WakeUps {
  return {
    setWakeUps: async (wakeUps) => {
      await Promise.all(
        wakeUps.map(({ cronId, schedule, timezone, account, name }) =>
          queue().upsertJobScheduler(
            cronId,
            { pattern: schedule, tz: timezone },
            { name: 'cron', data: { kind: 'cron', id: cronId, account, name }, opts: jobOptions('cron') },
          ),
        ),
      );
    },
    removeWakeUps: async (cronIds) => {
      await Promise.all(cronIds.map((id) => queue().removeJobScheduler(id)));
    },
    countWakeUps: () => queue().getJobSchedulersCount(),
  };
}
