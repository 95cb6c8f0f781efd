import type { BatchRecord } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import { startPeriodicTask, type PeriodicTask } from '../../platform/process/periodic-task.ts';

/** Progress of a run that changes is read this often, and at the latest this often of one that stands still. */
const TICK_MS = 500;
const SLOWEST_MS = 2_000;
/** A run is read again after this part of the time for which it has not changed. */
const PATIENCE = 1 / 8;

/** A run as clients see it, as far as progress needs it. */
export type Watched = Pick<BatchRecord, 'status'> & {
  counts: Omit<BatchRecord['counts'], 'quarantined' | 'rows_kept'>;
};

/** Tells the streams of progress in a process when their runs change, with one statement for all of them. */
export interface RunWatches {
  /**
   * The run's state whenever it is no longer the one that the watcher has, until the signal is aborted. Watchers of the
   * same run share what is read, so an id has one kind of state.
   * @throws what `read` throws
   */
  follow<T>(
    runId: string,
    known: Watched,
    read: () => Promise<T>,
    signal: AbortSignal,
  ): AsyncGenerator<T, void, undefined>;
}

interface Followed {
  /** What was counted at the last look, or what the first watcher had. */
  mark: string;
  changedAt: number;
  lookedAt: number;
  /** The state of this mark, once somebody has read it. */
  state: Promise<unknown> | undefined;
  watchers: number;
}

/** A text that equal states have in common, as `readMarks` writes it. */
function markOf({ status, counts }: Watched): string {
  const { total, running, succeeded, failed, cancelled, waiting_for_sink } = counts;
  return [status, total, running, succeeded, failed, cancelled, waiting_for_sink].join('-');
}

/** The counts of runs as one text each. Those of a workflow run are in its stages. */
async function readMarks({ db }: Pick<Services, 'db'>, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.sql<{ id: string; mark: string }[]>`
    SELECT r.id, concat_ws('-', r.state, p.counts) AS mark FROM gleaner.runs r CROSS JOIN LATERAL (
      SELECT concat_ws('-', sum(c.total), sum(c.running), sum(c.succeeded), sum(c.failed), sum(c.cancelled),
        sum(c.waiting_for_sink)) AS counts
      FROM (SELECT r.no UNION ALL SELECT s.no FROM gleaner.runs s WHERE s.root_no = r.no) m (no)
      CROSS JOIN LATERAL ${db.sql(ENGINE)}.count_run(m.no) c
    ) p WHERE r.id = ANY(${[...ids]}::text[])`;
  return new Map(rows.map(({ id, mark }) => [id, mark]));
}

// The same id was read by the same kind of reader.
function asStateOf<T>(state: Promise<unknown>, _read: () => Promise<T>): Promise<T> {
  return state as Promise<T>;
}

export function createRunWatches(services: Pick<Services, 'db' | 'log'>): RunWatches {
  const runs = new Map<string, Followed>();
  let ticking: PeriodicTask | undefined;
  let changed = Promise.withResolvers<void>();
  const wake = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };

  const look = async (): Promise<void> => {
    const now = performance.now();
    const due = [...runs].filter(([, { changedAt, lookedAt }]) => {
      const pauseMs = Math.min((now - changedAt) * PATIENCE, SLOWEST_MS);
      return now - lookedAt >= pauseMs - TICK_MS / 2;
    });
    if (due.length === 0) return;
    const marks = await readMarks(
      services,
      due.map(([id]) => id),
    );
    for (const [id, run] of due) {
      const mark = marks.get(id) ?? 'absent';
      run.lookedAt = now;
      if (mark !== run.mark) Object.assign(run, { mark, changedAt: now, state: undefined });
    }
    wake();
  };

  return {
    follow: async function* follow<T>(
      runId: string,
      known: Watched,
      read: () => Promise<T>,
      signal: AbortSignal,
    ) {
      let seen = markOf(known);
      const first = { mark: seen, changedAt: performance.now(), lookedAt: -Infinity, watchers: 0 };
      const run: Followed = runs.get(runId) ?? { ...first, state: undefined };
      runs.set(runId, run);
      run.watchers += 1;
      ticking ??= startPeriodicTask({ name: 'watched runs', everyMs: TICK_MS, log: services.log }, look);
      signal.addEventListener('abort', wake, { once: true });
      try {
        while (!signal.aborted) {
          if (seen === run.mark) {
            await changed.promise;
            continue;
          }
          seen = run.mark;
          run.state ??= read();
          yield await asStateOf(run.state, read);
        }
      } finally {
        signal.removeEventListener('abort', wake);
        run.watchers -= 1;
        if (run.watchers === 0) runs.delete(runId);
        if (runs.size === 0) {
          void ticking?.stop();
          ticking = undefined;
        }
      }
    },
  };
}
