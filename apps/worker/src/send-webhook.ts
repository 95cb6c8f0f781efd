import type { SendWebhook } from '@gleaner/core';
import type { Fetcher } from '@gleaner/fetching';

/** The sender aborts earlier and says so in the delivery log; this bounds what its signal does not end. */
const TIMEOUT_MS = 30_000;
/** The part of the response that the delivery log shows. */
const MAX_ANSWER_BYTES = 4_096;

/** Posts webhooks through the egress guard. Redirects are not followed. */
export function sendWebhook(fetcher: Fetcher): SendWebhook {
  return async ({ url, headers, body, signal }) => {
    const response = await fetcher.fetchRaw({
      url,
      method: 'POST',
      headers,
      body,
      deadlineAt: Date.now() + TIMEOUT_MS,
      signal,
      followRedirects: false,
      maxBytes: MAX_ANSWER_BYTES,
      isBodyOptional: true,
    });
    return { status: response.status, body: Buffer.from(response.body).toString('utf8') };
  };
}
