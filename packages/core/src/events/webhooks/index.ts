export { deleteWebhook, updateWebhook } from './change-webhooks.ts';
export { createWebhook } from './create-webhook.ts';
export {
  createWebhookSender,
  type DeliveryDeps,
  type SendWebhook,
  type WebhookRequest,
  type WebhookSender,
} from './deliver-webhooks.ts';
export { listDeliveries, listWebhookDeliveries } from './read-deliveries.ts';
export { getWebhook, listWebhooks } from './read-webhooks.ts';
export { replayDelivery, replayWebhookDelivery } from './replay-delivery.ts';
export { getWebhookSecret, rotateWebhookSecret } from './webhook-secret.ts';
