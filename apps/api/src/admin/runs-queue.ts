import type { JobStatus, QueueJob } from '@bull-board/api/typings/app';
import { whyBoardRunFailed, type BoardRun, type BoardRuns } from '@gleaner/core';
import { RUN_STATES, type RunState } from '@gleaner/contracts';

const STATUSES = ['active', 'waiting', 'completed', 'failed'] as const satisfies JobStatus[];

/** BullMQ's name of a run's state. */
function statusOf(state: RunState): (typeof STATUSES)[number] {
  if (state === 'running') return 'active';
  if (state === 'pending') return 'waiting';
  return state === 'succeeded' ? 'completed' : 'failed';
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('the board only shows runs'));
}

/** A run as a job of BullMQ. */
function toJob(run: BoardRun): QueueJob {
  const { id, kind, name, slug, stage, root, account, accountName, counts, waitsFor } = run;
  const ended = counts.succeeded + counts.failed + counts.cancelled;
  return {
    opts: {},
    promote: refuse,
    remove: refuse,
    retry: refuse,
    getState: () => Promise.resolve(statusOf(run.state)),
    toJSON: () => ({
      id,
      name: `${kind} ${stage ?? name ?? slug ?? id}`,
      data: {
        kind,
        name,
        slug,
        ...(root === null ? {} : { stage, workflow_run: root }),
        account: { id: account, name: accountName },
        counts,
        ...(waitsFor === null ? {} : { waits_for: waitsFor }),
      },
      progress: counts.total === 0 ? 0 : Math.floor((100 * ended) / counts.total),
      timestamp: run.createdAt,
      processedOn: run.startedAt,
      finishedOn: run.finishedAt,
      failedReason: whyBoardRunFailed(run),
      stacktrace: null,
      attemptsMade: 0,
      returnvalue: null,
      opts: {},
    }),
  };
}

/** What replaces the methods of a queue's adapter, so that the board shows runs in place of its jobs. */
export function showRuns(runs: BoardRuns) {
  return {
    getName: () => 'runs',
    getStatuses: () => ['latest' as const, ...STATUSES],
    getJobStatuses: () => [...STATUSES],
    getJobCounts: async () => {
      const { pending, running, succeeded, failed, cancelled } = await runs.count();
      return { active: running, waiting: pending, completed: succeeded, failed: failed + cancelled };
    },
    getJobs: async (wanted: JobStatus[], start = 0, end = start + 9) => {
      const states = RUN_STATES.filter((state) => wanted.includes(statusOf(state)));
      return (await runs.list(states, start, end - start + 1)).map(toJob);
    },
    getJob: async (id: string) => {
      const run = await runs.find(id);
      return run && toJob(run);
    },
    getJobLogs: (id: string) => runs.failures(id),
    getJobSchedulers: () => Promise.resolve([]),
    getJobSchedulersCount: () => Promise.resolve(0),
    isPaused: () => Promise.resolve(false),
    // The workers of the other queues run them.
    getWorkers: () => Promise.resolve(null),
  };
}
