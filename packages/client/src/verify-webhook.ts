import { GleanerError } from './errors.ts';
import type { WebhookEventType } from './generated/operations.ts';

/** The body of a webhook request; see docs/use/webhooks.md. */
export interface WebhookEvent {
  readonly type: WebhookEventType | (string & {});
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly data: { readonly [name: string]: unknown };
}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** The greatest difference between the time of sending and now. Default 5 minutes. */
  toleranceSeconds?: number;
  /** The current time in milliseconds. Default: the clock. */
  now?: () => number;
}

const TOLERANCE_SECONDS = 300;

function invalid(detail: string, cause?: unknown): GleanerError {
  return new GleanerError({ status: 0, code: 'invalid webhook', detail, cause });
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = typeof value === 'object' ? value?.[0] : value;
  if (text === undefined || text === null || text === '') throw invalid(`the header ${name} is missing`);
  return text;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0) throw invalid('the secret is not base64 after whsec_');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/**
 * Verifies that the service sent a webhook (Standard Webhooks), and returns its event.
 * @param body the raw body; the signature of a re-serialised body would not match
 * @param secrets `whsec_…` of the webhook; several during a replacement
 * @throws GleanerError `invalid webhook`
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = readHeader(headers, 'webhook-id');
  const sentAt = readHeader(headers, 'webhook-timestamp');
  const now = (options.now ?? Date.now)() / 1000;
  if (!/^\d{1,12}$/.test(sentAt)) throw invalid('webhook-timestamp is not a number of seconds');
  if (Math.abs(now - Number(sentAt)) > (options.toleranceSeconds ?? TOLERANCE_SECONDS)) {
    throw invalid('webhook-timestamp is too far from the current time');
  }
  const bytes = Uint8Array.from(typeof body === 'string' ? new TextEncoder().encode(body) : body);
  const signed = await new Blob([`${id}.${sentAt}.`, bytes]).arrayBuffer();
  const signatures = readHeader(headers, 'webhook-signature')
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => fromBase64(signature.slice('v1,'.length)))
    .filter((signature) => signature !== undefined);
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const key = await importKey(secret);
    for (const signature of signatures) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return parseEvent(bytes);
    }
  }
  throw invalid('no signature matches');
}

function parseEvent(bytes: Uint8Array): WebhookEvent {
  try {
    // The signature proves that the service wrote the body, and it sends only events.
    return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
  } catch (cause) {
    throw invalid('the body is not JSON', cause);
  }
}
