import { z } from 'zod';
import {
  changedSlugField,
  listAnswer,
  listQuery,
  nullIsAbsent,
  refField,
  searchQuery,
  shownSlugField,
  slugField,
  timestampField,
} from '../fields.ts';
import { accepted, created, json, operationsOf } from '../define-operation.ts';
import { ALERT_CHANNELS, DELIVERY_STATES, WEBHOOK_EVENTS } from '../values/index.ts';
import { changeFilterFields } from './change-filter.ts';
import { deliverySchema, webhookUrlField } from './webhooks.ts';

const define = operationsOf({ tag: 'Alerts', auth: 'key' });

function urlOf(what: string) {
  return webhookUrlField.describe(what);
}

/** Where the messages of an alert go. Sealed, and never shown again. */
export const alertToSchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('slack'),
      url: urlOf('Address of an incoming webhook of Slack, or of what takes the same, such as Mattermost.'),
    }),
    z.strictObject({ type: z.literal('discord'), url: urlOf('Address of a webhook of a channel.') }),
    z.strictObject({
      type: z.literal('ntfy'),
      url: urlOf('Address of the topic: https://ntfy.sh/my-topic.'),
      token: z
        .string()
        .regex(/^[\w.~+/=-]{1,200}$/, 'must be an access token')
        .optional()
        .describe('Access token of the topic.'),
    }),
    z.strictObject({
      type: z.literal('email'),
      address: z.email().max(254).describe('Its owner gets a link, and messages once it was followed.'),
    }),
    z.strictObject({
      type: z.literal('webhook'),
      url: urlOf('Address that gets the message as JSON, signed with the secret of GET /v1/webhooks/secret.'),
    }),
  ])
  .describe('Where messages go. It is sealed: records show its type and a hint.');
export type AlertTo = z.output<typeof alertToSchema>;

const nameField = z.string().trim().min(1).max(200).describe('What messages call the alert.');
const eventsField = z
  .array(z.enum(WEBHOOK_EVENTS))
  .min(1)
  .max(WEBHOOK_EVENTS.length)
  .describe('Events to report. Those of ten seconds are one message, and there is one a minute at most.');
/** Which events an alert reports. */
export const alertFilterField = z
  .strictObject({
    failed: z
      .boolean()
      .default(false)
      .describe('Whether a run that ends is reported only when something failed.'),
    ...changeFilterFields,
  })
  .describe('What is left out.');

export const alertSchema = z.object({
  id: z.string(),
  slug: shownSlugField,
  name: z.string(),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
  filter: z.object({ failed: z.boolean(), ...changeFilterFields }),
  to: z.object({
    type: z.enum(ALERT_CHANNELS),
    shown: z.string().describe('What may be seen of the address, such as https://hooks.slack.com/….'),
  }),
  confirmed: z.boolean().describe('False until the owner of the e-mail address has followed the link.'),
  enabled: z.boolean(),
  disabled_reason: z.string().nullable(),
  created_at: timestampField,
  updated_at: timestampField,
});

const params = z.strictObject({ id: refField('alert') });

export const createAlert = define('createAlert', 'POST /v1/alerts', {
  summary: 'Create an alert: events become messages in Slack, Discord, ntfy, e-mail or at an address.',
  description:
    'Failures that last (a cron, a parser, low credits) are also reported as resolved. An e-mail address gets one link a day that confirms it.',
  body: z.strictObject({
    name: nameField,
    events: eventsField,
    filter: alertFilterField.optional(),
    to: alertToSchema,
    slug: nullIsAbsent(slugField),
  }),
  answer: created(alertSchema),
  errors: ['plan_limit_exceeded', 'temporarily_unavailable'],
  creates: true,
});

export const listAlerts = define('listAlerts', 'GET /v1/alerts', {
  summary: 'Alerts of the account, newest first.',
  query: searchQuery.extend({
    search: searchQuery.shape.search.describe(
      'Only those whose name has this text, or with this id or slug.',
    ),
  }),
  answer: json(listAnswer('alerts', alertSchema)),
});

export const getAlert = define('getAlert', 'GET /v1/alerts/{id}', {
  summary: 'One alert.',
  params,
  answer: json(alertSchema),
});

export const updateAlert = define('updateAlert', 'PUT /v1/alerts/{id}', {
  summary: 'Change an alert, or disable or enable it.',
  params,
  body: z.strictObject({
    name: nameField.optional(),
    events: eventsField.optional(),
    filter: alertFilterField.optional(),
    to: alertToSchema.optional(),
    enabled: z.boolean().optional(),
    slug: changedSlugField,
  }),
  answer: json(alertSchema),
  errors: ['plan_limit_exceeded', 'temporarily_unavailable'],
});

export const deleteAlert = define('deleteAlert', 'DELETE /v1/alerts/{id}', {
  summary: 'Delete an alert with its deliveries.',
  params,
  answer: { kind: 'empty', status: 204 },
});

export const testAlert = define('testAlert', 'POST /v1/alerts/{id}/test', {
  summary: 'Send a test message.',
  params,
  answer: accepted(deliverySchema),
  stores: true,
});

export const listAlertDeliveries = define('listAlertDeliveries', 'GET /v1/alerts/{id}/deliveries', {
  summary: 'Messages of one alert, newest first.',
  params,
  query: listQuery.extend({ status: z.enum(DELIVERY_STATES).optional() }),
  answer: json(listAnswer('deliveries', deliverySchema)),
  fairShare: 'call',
});
