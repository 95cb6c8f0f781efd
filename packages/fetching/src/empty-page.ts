import { AppError } from '@gleaner/contracts';
import type { FetchRequest } from './fetch-types.ts';
import { isHtmlType, mediaType } from './http/content-type.ts';
import type { HttpResponse } from './http/http-engine.ts';

/** White space alone is nothing, but is only looked for in what is small. */
const MAX_BLANK_BYTES = 64;

/** Whether bytes are none, or white space alone. */
export function isBlank(body: Uint8Array): boolean {
  return body.length < MAX_BLANK_BYTES && Buffer.from(body).toString('latin1').trim() === '';
}

/** Throws `fetch_failed`, retryable, for a good status with a page of nothing: there is nothing to extract from. */
export function requireContent(
  answer: HttpResponse,
  allowStatuses: FetchRequest['allowStatuses'],
): HttpResponse {
  const isPage = answer.status >= 200 && answer.status < 300 && isHtmlType(mediaType(answer.contentType));
  if (!isPage || allowStatuses === 'any' || !isBlank(answer.body)) return answer;
  throw new AppError('fetch_failed', { detail: 'the target answered with an empty page', retryable: true });
}
