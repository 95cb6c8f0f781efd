import type { Metrics, Services } from '@gleaner/core';
import type { Engine } from '@gleaner/queue';
import type { Cancellations } from './cancellations.ts';
import type { InteractiveLoad } from './load/interactive-load.ts';
import type { TaskExecutorDeps } from './tasks/execute-task.ts';

/** What the interactive requests and the batches of a worker have in common. */
export interface WorkerParts extends Pick<Services, 'config' | 'queue' | 'log'> {
  workerId: string;
  /** Tasks of batches at once. Interactive requests have a capacity of their own. */
  capacity: Record<Engine, number>;
  metrics: Metrics;
  cancellations: Cancellations;
  interactiveLoad: InteractiveLoad;
  /** What every task needs. */
  tasks: Omit<TaskExecutorDeps, 'pool' | 'outcomes'>;
}
