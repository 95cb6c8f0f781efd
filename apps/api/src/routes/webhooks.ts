import * as operations from '@gleaner/contracts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookSecret,
  listDeliveries,
  listWebhookDeliveries,
  listWebhooks,
  replayDelivery,
  replayWebhookDelivery,
  rotateWebhookSecret,
  updateWebhook,
} from '@gleaner/core';
import { endpoint, inTurn } from '../endpoint.ts';

export const webhookEndpoints = [
  endpoint(operations.createWebhook, createWebhook),
  endpoint(operations.listWebhooks, listWebhooks),
  endpoint(operations.getWebhookSecret, getWebhookSecret),
  endpoint(operations.rotateWebhookSecret, rotateWebhookSecret),
  endpoint(operations.listDeliveries, inTurn(listDeliveries)),
  endpoint(operations.replayDelivery, replayDelivery),
  endpoint(operations.getWebhook, getWebhook),
  endpoint(operations.updateWebhook, updateWebhook),
  endpoint(operations.deleteWebhook, deleteWebhook),
  endpoint(operations.listWebhookDeliveries, inTurn(listWebhookDeliveries)),
  endpoint(operations.replayWebhookDelivery, replayWebhookDelivery),
];
