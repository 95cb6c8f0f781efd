import { AppError } from '@gleaner/contracts';
import { detectBlock, type Block, type SeenPage } from './blocks/detect-block.ts';
import { isTransientStatus, readRetryAfter } from './retries.ts';

function retryAfterOf({ headers }: SeenPage): number | undefined {
  const retryAfterMs = readRetryAfter(headers);
  return retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000);
}

function errorStatus(page: SeenPage): AppError {
  return new AppError('fetch_failed', {
    detail: `the target answered with status ${page.status}`,
    hint: isTransientStatus(page.status)
      ? 'The target has a fault or is busy: try again later.'
      : 'Open the url in a browser to see whether it is right.',
    retryable: isTransientStatus(page.status),
    retryAfterSeconds: retryAfterOf(page),
  });
}

/** The advice about a block. */
function hintFor(page: SeenPage, { kind }: Block): string {
  if (kind === 'status' && page.status === 429) {
    const seconds = retryAfterOf(page);
    return `The target asks for fewer requests: wait ${seconds === undefined ? 'a while' : `${seconds} seconds`}, then try again.`;
  }
  if (kind === 'login_wall' || page.status === 401) return 'Gleaner does not fetch pages behind a login.';
  return 'Try a higher proxy tier or the browser.';
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
      hint: hintFor(page, block),
    });
  }
  if (isAllowed || (page.status >= 200 && page.status < 300)) return;
  throw errorStatus(page);
}
