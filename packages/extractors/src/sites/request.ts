import type { SiteRequest, SitesConfig } from './types.ts';

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

/** The same visit in a browser, which has its own headers and runs the page's challenge. */
export function inBrowser(request: SiteRequest, waitFor: string): SiteRequest {
  return {
    ...request,
    headers: {},
    waitFor,
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
