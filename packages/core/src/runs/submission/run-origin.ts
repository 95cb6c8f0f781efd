import type { IdKind, RunKind } from '@gleaner/contracts';

/** The producer of a run, with what the run keeps about it. Each further producer adds a member. */
export type RunOrigin =
  | { type: 'job' }
  | { type: 'batch'; name: string | null }
  | { type: 'cron'; name: string }
  | { type: 'workflow'; name: string }
  | { type: 'crawl'; name: string | null };

/** Who asked for a run: what it uses counts for them. */
export interface RunAuthor {
  keyId?: string | undefined;
  cronId?: string | undefined;
}

interface OriginTraits {
  /** Decides the prefix of the run's id. */
  idKind: IdKind;
  /** `runs.kind`: decides which list shows the run and which event reports its end (`batch.finished`). */
  runKind: RunKind;
  /** The run in messages to clients: "a batch has at most 1000000 inputs". */
  noun: string;
}

/** The properties of an origin as data, so that no other code depends on the origin. */
export const ORIGIN_TRAITS: Readonly<Record<RunOrigin['type'], OriginTraits>> = {
  job: { idKind: 'job', runKind: 'job', noun: 'a job' },
  batch: { idKind: 'batch', runKind: 'batch', noun: 'a batch' },
  // The run of a firing is a batch with the cron's name.
  cron: { idKind: 'batch', runKind: 'batch', noun: 'a cron' },
  workflow: { idKind: 'workflowRun', runKind: 'workflow', noun: 'a workflow run' },
  crawl: { idKind: 'workflowRun', runKind: 'workflow', noun: 'a crawl' },
};
