import { AppError } from '@gleaner/contracts';
import { detectBlock, type SeenPage } from './blocks/detect-block.ts';
import { isTransientStatus, readRetryAfter } from './retries.ts';

function retryAfterOf({ headers }: SeenPage): number | undefined {
  const retryAfterMs = readRetryAfter(headers);
  return retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000);
}

function errorStatus(page: SeenPage): AppError {
  return new AppError('fetch_failed', {
    detail: `the target answered with status ${page.status}`,
    retryable: isTransientStatus(page.status),
    retryAfterSeconds: retryAfterOf(page),
  });
}

/**
 * Throws unless the response is a page that may be extracted and charged: `target_blocked` with the evidence, or
 * `fetch_failed` with the status. With `canChangeIdentity`, a retry would use another proxy.
 */
export function requirePage(
  page: SeenPage,
  {
    allowStatuses,
    canChangeIdentity,
    isLastAttempt,
  }: { allowStatuses?: readonly number[] | 'any'; canChangeIdentity: boolean; isLastAttempt: boolean },
): void {
  if (allowStatuses === 'any') {
    const isDown = page.status >= 500 && isTransientStatus(page.status) && detectBlock(page) === undefined;
    if (isDown && !isLastAttempt) throw errorStatus(page);
    return;
  }
  const isAllowed = allowStatuses?.includes(page.status) === true;
  const block = isAllowed && page.status >= 400 ? undefined : detectBlock(page);
  if (block !== undefined) {
    throw new AppError('target_blocked', {
      detail: block.evidence,
      retryable: canChangeIdentity || page.status === 429 || page.status === 503,
      retryAfterSeconds: retryAfterOf(page),
      hint: 'Try a higher proxy tier or the browser. Gleaner does not fetch pages behind a login.',
    });
  }
  if (isAllowed || (page.status >= 200 && page.status < 300)) return;
  throw errorStatus(page);
}
