/**
 * Events that are sent. `cron.fired`: a firing created its run. `cron.failed`: it was refused, or its run failed.
 * `parser.drift`: a parser no longer finds what it found on a host.
 * `rows.changed`: a run that has ended changed rows of a table that keeps its changes; once for each run and table.
 * `credits.low`: the balance fell below a tenth of the granted credits; sent once each time.
 */
export const WEBHOOK_EVENTS = [
  'job.finished',
  'batch.finished',
  'workflow_run.finished',
  'cron.fired',
  'cron.failed',
  'credits.low',
  'parser.drift',
  'rows.changed',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** What a value must have done for a change to be reported. */
export const CHANGE_TESTS = ['changed', 'rises', 'falls', 'crosses'] as const;
export type ChangeTest = (typeof CHANGE_TESTS)[number];

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Where an alert's messages go. */
export const ALERT_CHANNELS = ['slack', 'discord', 'ntfy', 'email', 'webhook'] as const;
export type AlertChannel = (typeof ALERT_CHANNELS)[number];
