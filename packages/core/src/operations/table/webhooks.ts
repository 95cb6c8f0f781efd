import * as operations from '@gleaner/contracts';
import { deleteWebhook, updateWebhook } from '../../events/webhooks/change-webhooks.ts';
import { createWebhook } from '../../events/webhooks/create-webhook.ts';
import { listDeliveries, listWebhookDeliveries } from '../../events/webhooks/read-deliveries.ts';
import { getWebhook, listWebhooks } from '../../events/webhooks/read-webhooks.ts';
import { replayDelivery, replayWebhookDelivery } from '../../events/webhooks/replay-delivery.ts';
import { getWebhookSecret, rotateWebhookSecret } from '../../events/webhooks/webhook-secret.ts';
import { pair } from '../pair.ts';

export const webhookEntries = [
  pair(operations.createWebhook, createWebhook),
  pair(operations.listWebhooks, listWebhooks),
  pair(operations.getWebhookSecret, getWebhookSecret),
  pair(operations.rotateWebhookSecret, rotateWebhookSecret),
  pair(operations.listDeliveries, listDeliveries),
  pair(operations.replayDelivery, replayDelivery),
  pair(operations.getWebhook, getWebhook),
  pair(operations.updateWebhook, updateWebhook),
  pair(operations.deleteWebhook, deleteWebhook),
  pair(operations.listWebhookDeliveries, listWebhookDeliveries),
  pair(operations.replayWebhookDelivery, replayWebhookDelivery),
];
