export type { Answer, Call } from './call.ts';
export {
  createClient,
  type BatchFields,
  type BatchInputs,
  type BatchResult,
  type Client,
  type ClientOptions,
} from './client.ts';
export { defineParser, type InferParser } from './define-parser.ts';
export type { Download } from './download.ts';
export { GleanerError, isGleanerError, type ClientErrorCode, type ErrorCode } from './errors.ts';
export type { AnyParser, OutputOf, SavedParser, ScrapeInput } from './extract.ts';
export type * from './generated/operations.ts';
export type { Listing } from './listing.ts';
export type { FileContent, FileInput } from './multipart.ts';
export type { CallOptions, CreateOptions } from './route.ts';
export type { ServerEvent } from './server-events.ts';
export type { Changes, ChangesQuery, Table } from './table.ts';
export {
  verifyWebhook,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookHeaders,
} from './verify-webhook.ts';
export type { WaitOptions } from './wait-for.ts';
