import type { CallOutput } from '../api/call.ts';

export type WebhookEvent = CallOutput<'listWebhooks'>['webhooks'][number]['events'][number];

/** The events that a webhook may be called for. */
export const EVENTS: { value: WebhookEvent; label: string }[] = [
  { value: 'job.finished', label: 'A job has finished' },
  { value: 'batch.finished', label: 'A batch has finished' },
  { value: 'credits.low', label: 'Credits run low' },
];
