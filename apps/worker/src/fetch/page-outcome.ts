import { AppError } from '@gleaner/contracts';
import { detectBlock, type SeenPage } from './blocks/detect-block.ts';
import { canStatusHeal, readRetryAfter } from './retries.ts';

/**
 * Throws unless the answer is a page that may be extracted from and charged: `target_blocked` with the evidence, or
 * `fetch_failed` with the status. `canChangeIdentity` says that another attempt would come from another proxy.
 */
export const requirePage = (
  page: SeenPage,
  {
    allowStatuses,
    canChangeIdentity,
  }: { allowStatuses?: readonly number[] | 'any'; canChangeIdentity: boolean },
): void => {
  if (allowStatuses === 'any') return;
  const isAllowed = allowStatuses?.includes(page.status) === true;
  const block = isAllowed && page.status >= 400 ? undefined : detectBlock(page);
  const retryAfterMs = readRetryAfter(page.headers);
  const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000);
  if (block !== undefined) {
    throw new AppError('target_blocked', {
      detail: block.evidence,
      retryable: canChangeIdentity || page.status === 429 || page.status === 503,
      retryAfterSeconds,
      hint: 'Try a higher proxy tier or the browser; a page behind a login is not fetched.',
    });
  }
  if (isAllowed || (page.status >= 200 && page.status < 300)) return;
  throw new AppError('fetch_failed', {
    detail: `the target answered with status ${page.status}`,
    retryable: canStatusHeal(page.status),
    retryAfterSeconds,
  });
};
