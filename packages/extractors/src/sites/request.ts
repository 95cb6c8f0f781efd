import { worst } from './outcome.ts';
import type { SiteInput, SitePlan, SiteReader, SiteRequest, SitesConfig } from './types.ts';

/** A page visit, with the headers of a desktop browser without a referrer. */
export function pageRequest(
  url: string,
  config: SitesConfig,
  extra: { cookies?: Record<string, string>; headers?: Record<string, string> } = {},
): SiteRequest {
  return {
    method: 'GET',
    url,
    headers: {
      'user-agent': config.userAgent,
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
      'accept-language': config.language,
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'none',
      'sec-fetch-user': '?1',
      'upgrade-insecure-requests': '1',
      ...extra.headers,
    },
    cookies: extra.cookies ?? {},
  };
}

/** A call of the site's own scripts. */
export function apiRequest(
  request: Pick<SiteRequest, 'method' | 'url'> & Partial<SiteRequest>,
  config: SitesConfig,
): SiteRequest {
  return {
    ...request,
    headers: {
      'user-agent': config.userAgent,
      accept: '*/*',
      'accept-language': config.language,
      'sec-fetch-dest': 'empty',
      'sec-fetch-mode': 'cors',
      'sec-fetch-site': 'same-origin',
      ...request.headers,
    },
    cookies: request.cookies ?? {},
  };
}

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
  // A browser has its own headers, and runs the page's challenge.
  const rendered = yield { ...request, headers: {}, waitFor };
  if (rendered.status === 0) return outcome;
  const second = read([rendered], input);
  return second.outcome === 'ok' ? second : worst([second, outcome]);
}
