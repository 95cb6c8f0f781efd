export const PROCESS_KINDS = ['api', 'worker', 'scheduler'] as const;
export type ProcessKind = (typeof PROCESS_KINDS)[number];

/** Interactive work has separate queues and workers, so that no batch can delay it. */
export const PAUSABLE_QUEUES = [
  'interactive-http',
  'interactive-browser',
  'batch-http',
  'batch-browser',
] as const;
export const QUEUES = [
  ...PAUSABLE_QUEUES,
  /** Wake-ups of crons, one job scheduler per enabled cron. Schedulers consume it. */
  'crons',
] as const;
export type QueueName = (typeof QUEUES)[number];
