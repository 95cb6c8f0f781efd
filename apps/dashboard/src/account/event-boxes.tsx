import type { WebhookEvent } from '@gleaner/contracts/values';
import { Checkbox } from '@mantine/core';
import { choicesOf } from '../parts/choices.ts';

/** What each event of a webhook or an alert means. */
const EVENT_WORDS = {
  'job.finished': 'A job has finished',
  'batch.finished': 'A batch has finished',
  'workflow_run.finished': 'A workflow run has finished',
  'cron.fired': 'A cron has started a run',
  'cron.failed': 'A cron could not start a run, or its run failed',
  'parser.drift': 'A parser no longer finds values that it found before',
  'rows.changed': 'A run has changed rows of a table that keeps its changes',
  'credits.low': 'Credits are running low',
} satisfies Record<WebhookEvent, string>;

/** A box for each event, within a group. */
export function EventBoxes() {
  return (
    <>
      {choicesOf(EVENT_WORDS).map(({ value, label }) => (
        <Checkbox key={value} value={value} label={label} />
      ))}
    </>
  );
}
