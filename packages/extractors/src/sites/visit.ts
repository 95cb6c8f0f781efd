import { worst } from './outcome.ts';
import { inBrowser } from './request.ts';
import type { SiteInput, SitePlan, SiteReader, SiteRequest } from './types.ts';

/**
 * Fetches a page plainly, and in a browser when a wall came instead, because a browser solves challenges. A visit
 * without data (status 0) is not evidence.
 * @param waitFor a selector of the page's data
 */
export function* visitTwice(
  request: SiteRequest,
  waitFor: string,
  read: SiteReader,
  input: SiteInput,
): SitePlan {
  const response = yield request;
  const outcome = read([response], input);
  const isWalled = outcome.outcome === 'blocked' || outcome.outcome === 'unrecognised';
  if (!isWalled || response.status >= 500) return outcome;
  const rendered = yield inBrowser(request, waitFor);
  if (rendered.status === 0) return outcome;
  const second = read([rendered], input);
  return second.outcome === 'ok' ? second : worst([second, outcome]);
}
