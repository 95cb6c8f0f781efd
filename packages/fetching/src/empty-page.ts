import { AppError } from '@gleaner/contracts';
import type { FetchRequest } from './fetch-types.ts';
import { isHtmlType, mediaType } from './http/content-type.ts';
import type { HttpResponse } from './http/http-engine.ts';

/** Larger bodies are not searched for white space. */
const MAX_BLANK_BYTES = 64;

/** Whether a body is empty or holds only white space. */
export function isBlank(body: Uint8Array): boolean {
  return body.length < MAX_BLANK_BYTES && Buffer.from(body).toString('latin1').trim() === '';
}

/** Throws `fetch_failed`, retryable, for an HTML page with a 2xx status and no content. */
export function requireContent(
  response: HttpResponse,
  allowStatuses: FetchRequest['allowStatuses'],
): HttpResponse {
  const isPage =
    response.status >= 200 && response.status < 300 && isHtmlType(mediaType(response.contentType));
  if (!isPage || allowStatuses === 'any' || !isBlank(response.body)) return response;
  throw new AppError('fetch_failed', {
    detail: 'the target answered with an empty page',
    hint: 'Some sites answer programs so: try useBrowser, or another proxy.',
    retryable: true,
  });
}
