import type { WebhookEvent } from '@gleaner/contracts/values';

/** What each event of a webhook means. */
export const EVENT_WORDS = {
  'job.finished': 'A job has finished',
  'batch.finished': 'A batch has finished',
  'workflow_run.finished': 'A workflow run has finished',
  'cron.fired': 'A cron has started a run',
  'cron.failed': 'A cron could not start a run, or its run failed',
  'parser.drift': 'A parser no longer finds values that it found before',
  'credits.low': 'Credits are running low',
} satisfies Record<WebhookEvent, string>;
