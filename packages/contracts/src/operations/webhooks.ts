import { z } from 'zod';
import {
  changedSlugField,
  idField,
  listAnswer,
  listQuery,
  searchQuery,
  nullIsAbsent,
  refField,
  shownSlugField,
  slugField,
  timestampField,
} from '../fields.ts';
import { changeFilterSchema } from './change-filter.ts';
import { operationsOf, created, json, accepted } from '../define-operation.ts';
import { DELIVERY_STATES, WEBHOOK_EVENTS } from '../values/index.ts';

const define = operationsOf({ tag: 'Webhooks', auth: 'key' });

/** The URL that receives events: http or https, without user and password. */
export const webhookUrlField = z
  .string()
  .max(2000, { abort: true })
  .check(z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }))
  .refine(
    (text) => {
      // The check above says what is wrong with it.
      if (!URL.canParse(text)) return true;
      const { username, password } = new URL(text);
      return username === '' && password === '';
    },
    { message: 'must not contain a user or password' },
  );

const eventsField = z
  .array(z.enum(WEBHOOK_EVENTS))
  .min(1)
  .max(WEBHOOK_EVENTS.length)
  .describe('Events to send.');

const filterField = changeFilterSchema.describe(
  'Which changed rows `rows.changed` reports; other events are not filtered.',
);

export const webhookSchema = z.object({
  id: z.string(),
  slug: shownSlugField,
  url: z.string(),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
  filter: changeFilterSchema.describe('Which changed rows `rows.changed` reports.'),
  enabled: z.boolean(),
  disabled_reason: z.string().nullable(),
  paused_until: timestampField
    .nullable()
    .describe('After several failures in a row: no delivery begins before. Null when its deliveries arrive.'),
  created_at: timestampField,
  updated_at: timestampField,
});

const secretField = z
  .string()
  .describe('Verifies the webhook-signature header (Standard Webhooks); begins with whsec_.');

export const deliverySchema = z.object({
  id: z.string().describe('The webhook-id header: the same for every attempt.'),
  webhook_id: z
    .string()
    .nullable()
    .describe('The webhook or alert. Null when the URL is the `webhook_url` of a run.'),
  run_id: z.string().nullable().describe('The job, batch or workflow run of the event.'),
  url: z.string(),
  event: z.string(),
  payload: z.unknown().describe('The body of the request.'),
  status: z.enum(DELIVERY_STATES),
  attempts: z.int(),
  next_attempt_at: timestampField.nullable(),
  response_status: z.int().nullable().describe('HTTP status of the last attempt.'),
  response_body: z.string().nullable().describe('Beginning of the last response body.'),
  error: z.string().nullable().describe('Why the last attempt failed.'),
  created_at: timestampField,
  attempted_at: timestampField.nullable(),
  delivered_at: timestampField.nullable(),
});

const params = z.strictObject({ id: refField('webhook') });
const deliveryFilters = { status: z.enum(DELIVERY_STATES).optional() };

export const createWebhook = define('createWebhook', 'POST /v1/webhooks', {
  summary: 'Create a webhook: events are posted to its URL.',
  body: z.strictObject({
    url: webhookUrlField,
    events: eventsField,
    filter: filterField.optional(),
    slug: nullIsAbsent(slugField),
  }),
  answer: created(webhookSchema.extend({ secret: secretField })),
  errors: ['name_taken', 'plan_limit_exceeded'],
  creates: true,
  showsSecret: true,
});

export const listWebhooks = define('listWebhooks', 'GET /v1/webhooks', {
  summary: 'Webhooks of the account, newest first.',
  query: searchQuery.extend({
    search: searchQuery.shape.search.describe('Only those whose URL has this text, or with this id or slug.'),
  }),
  answer: json(listAnswer('webhooks', webhookSchema)),
});

export const getWebhook = define('getWebhook', 'GET /v1/webhooks/{id}', {
  summary: 'One webhook.',
  params,
  answer: json(webhookSchema),
});

export const updateWebhook = define('updateWebhook', 'PUT /v1/webhooks/{id}', {
  summary: 'Change the URL or events of a webhook, or disable or enable it.',
  params,
  body: z.strictObject({
    url: webhookUrlField.optional(),
    events: eventsField.optional(),
    filter: filterField.optional(),
    slug: changedSlugField,
    enabled: z.boolean().optional(),
  }),
  answer: json(webhookSchema),
  errors: ['name_taken'],
});

export const deleteWebhook = define('deleteWebhook', 'DELETE /v1/webhooks/{id}', {
  summary: 'Delete a webhook with its deliveries.',
  params,
  answer: { kind: 'empty', status: 204 },
});

export const testWebhook = define('testWebhook', 'POST /v1/webhooks/{id}/test', {
  summary: 'Send a test event, `webhook.test`.',
  params,
  answer: accepted(deliverySchema),
  stores: true,
});

export const getWebhookSecret = define('getWebhookSecret', 'GET /v1/webhooks/secret', {
  summary: 'The secret that signs events for the `webhook_url` of a single job or batch.',
  answer: json(z.object({ secret: secretField })),
});

export const rotateWebhookSecret = define('rotateWebhookSecret', 'POST /v1/webhooks/secret', {
  summary: 'Replace the secret that signs events for a `webhook_url`.',
  answer: json(z.object({ secret: secretField })),
});

export const listDeliveries = define('listDeliveries', 'GET /v1/webhooks/deliveries', {
  summary: 'Deliveries of the account, newest first, including those to a `webhook_url`.',
  query: listQuery.extend({
    run: z.string().max(80).optional().describe('Only deliveries about this job or batch.'),
    ...deliveryFilters,
  }),
  answer: json(listAnswer('deliveries', deliverySchema)),
  fairShare: 'call',
});

export const listWebhookDeliveries = define('listWebhookDeliveries', 'GET /v1/webhooks/{id}/deliveries', {
  summary: 'Deliveries of one webhook, newest first.',
  params,
  query: listQuery.extend(deliveryFilters),
  answer: json(listAnswer('deliveries', deliverySchema)),
  fairShare: 'call',
});

export const replayDelivery = define('replayDelivery', 'POST /v1/webhooks/deliveries/{deliveryId}/replay', {
  summary: 'Send a delivery again, with the same id and payload.',
  params: z.strictObject({ deliveryId: idField('delivery') }),
  answer: accepted(deliverySchema),
});

export const replayWebhookDelivery = define(
  'replayWebhookDelivery',
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay',
  {
    summary: 'Send a delivery of this webhook again, with the same id and payload.',
    params: z.strictObject({ id: refField('webhook'), deliveryId: idField('delivery') }),
    answer: accepted(deliverySchema),
  },
);
