import type { Sink, ResultMode, RunKind } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import { LRUCache } from 'lru-cache';
import type { RunConfig } from '../tasks/run-config.ts';
import type { StageSpec } from '../stages/stage-spec.ts';
import { openConfig, type StoredConfig } from '../../platform/secrets/sealed-config.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';

const MAX_ENTRIES = 500;
/** Characters of all entries as JSON: one crawl can have two million in its start pages. */
const MAX_CHARACTERS = 64_000_000;

/** The data of a run that workers need. It never changes. */
export interface RunSpec {
  no: string;
  id: string;
  kind: RunKind | 'stage';
  accountId: string;
  target: TaskTarget;
  config: RunConfig;
  mode: ResultMode;
  sink: Sink | null;
  /** Further attempts of a task after a failure that may be temporary. */
  retries: number;
  /** Null when the run is no stage of a workflow. */
  stage: StageSpec | null;
  /** The cron or the workflow of which it is a run. */
  source?: string | undefined;
}

/** Caches runs by number. */
export interface RunCache {
  /** @throws Error when the run does not exist */
  load(no: string): Promise<RunSpec>;
}

interface RunRow {
  id: string;
  kind: string;
  account_id: string;
  target: unknown;
  config: unknown;
  mode: string;
  sink: unknown;
  retries: number;
  plan: unknown;
  source: string | null;
}

// submit_runs wrote the columns from values of these types.
function toRunSpec(no: string, row: RunRow, secretKey: string | undefined): RunSpec {
  return {
    no,
    id: row.id,
    source: row.source ?? undefined,
    kind: row.kind as RunSpec['kind'],
    accountId: row.account_id,
    target: row.target as TaskTarget,
    config: openConfig(row.config as StoredConfig<RunConfig>, { secretKey, id: row.id }),
    mode: row.mode as RunSpec['mode'],
    sink: row.sink as Sink | null,
    retries: row.retries,
    stage: row.plan as StageSpec | null,
  };
}

/** @param secretKey the configuration's, which opens headers and cookies */
export function createRunCache(db: Database, secretKey?: string): RunCache {
  const entries = new LRUCache<string, RunSpec>({
    max: MAX_ENTRIES,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (spec) => JSON.stringify(spec).length,
    // An entry that is evicted while it is read still answers those that wait for it.
    ignoreFetchAbort: true,
    fetchMethod: async (no) => {
      const [row] = await db.sql<RunRow[]>`
        SELECT r.id, r.kind, r.account_id, r.target, r.config, r.mode, r.sink, r.retries, s.plan,
          coalesce(w.workflow_id, r.cron_id) AS source
        FROM gleaner.runs r LEFT JOIN gleaner.stages s ON s.run_no = r.no
        LEFT JOIN gleaner.workflow_runs w ON w.no = s.root_no WHERE r.no = ${no}`;
      if (!row) throw new Error(`run ${no} does not exist`);
      return toRunSpec(no, row, secretKey);
    },
  });
  return { load: (no) => entries.forceFetch(no) };
}
