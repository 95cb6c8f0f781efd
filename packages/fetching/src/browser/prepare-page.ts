import { AppError } from '@gleaner/contracts';
import type { BrowserContext, Page, CDPSession } from 'playwright';
import type { ProxyRoute } from '../egress/guard-proxy.ts';
import { encodeCookie } from '../http/cookie-sessions.ts';
import { mergeHeaders } from '../http/request-headers.ts';
import type { BrowserRequest } from './browser-types.ts';
import type { RoutedPageOptions } from './chromium-launcher.ts';
import type { Fingerprint } from './fingerprints.ts';
import { interceptRequests, type Interception } from './page-interception.ts';

function majorOf(version: string): string {
  return version.split('.')[0] ?? '';
}

/** The user agent of the same Chromium in headed mode. */
function userAgentOf(version: string): string {
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${majorOf(version)}.0.0.0 Safari/537.36`;
}

/** Replaces the client hints and user agent, which otherwise identify headless Chromium. */
async function hideHeadless(
  client: CDPSession,
  version: string,
  {
    userAgent = userAgentOf(version),
    acceptLanguage,
  }: { userAgent?: string; acceptLanguage?: string | undefined },
): Promise<void> {
  const major = majorOf(version);
  await client.send('Emulation.setUserAgentOverride', {
    userAgent,
    ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
    platform: 'Linux x86_64',
    userAgentMetadata: {
      brands: [
        { brand: 'Chromium', version: major },
        { brand: 'Google Chrome', version: major },
        { brand: 'Not_A Brand', version: '8' },
      ],
      fullVersion: version,
      platform: 'Linux',
      platformVersion: '',
      architecture: 'x86',
      model: '',
      mobile: false,
    },
  });
}

/** Adds the request's cookies to the context. Throws `invalid_request` for cookies that don't fit the URL. */
async function addCookies(
  context: BrowserContext,
  { cookies = {} }: BrowserRequest['config'],
  url: URL,
): Promise<void> {
  const own = Object.entries(cookies).map(([name, value]) => ({
    name,
    value: encodeCookie(value),
    url: url.origin,
  }));
  if (own.length === 0) return;
  try {
    await context.addCookies(own);
  } catch (error) {
    if (!/invalid cookie/i.test(String(error))) throw error;
    throw new AppError('invalid_request', {
      field: 'scrape_config.cookies',
      detail: 'the browser does not accept them for this URL',
      cause: error,
    });
  }
}

/** The languages of an Accept-Language header in its order, as scripts see them. */
function languagesOf(header: string | undefined): string | undefined {
  return header
    ?.split(',')
    .map((part) => (part.split(';')[0] ?? '').trim())
    .filter((language) => language !== '' && language !== '*')
    .join(',');
}

/** How a page introduces itself: by its fingerprint, or as the same Chromium in headed mode. */
export interface PageIdentity {
  options: RoutedPageOptions;
  fingerprint: Fingerprint | undefined;
  /** Chromium's version, like `153.0.8010.0`. */
  version: string;
}

/** The identity of a page that the request asks for. */
export function identityOf(
  { config }: BrowserRequest,
  { route, fingerprint, version }: { route: ProxyRoute } & Pick<PageIdentity, 'fingerprint' | 'version'>,
): PageIdentity {
  const given = mergeHeaders({}, config.headers);
  const options: RoutedPageOptions = {
    guardRoute: route,
    acceptDownloads: false,
    serviceWorkers: 'block',
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    userAgent: given['user-agent'] ?? userAgentOf(version),
    ...fingerprint?.contextOptions,
  };
  return { options, fingerprint, version };
}

/** A page that is ready to load its URL. */
interface PreparedPage {
  interception: Interception;
  referer: string | undefined;
}

/** Gives a new page its identity, cookies, headers and interception; pages that it opens itself are closed. */
export async function preparePage(
  page: Page,
  { config, url, files = [], checkRedirect }: BrowserRequest,
  { options, fingerprint, version }: PageIdentity,
): Promise<PreparedPage> {
  const context = page.context();
  context.on('page', (popup) => {
    if (popup !== page) void popup.close().catch(() => undefined);
  });
  await fingerprint?.attach(context);
  await addCookies(context, config, url);
  const given = mergeHeaders({}, config.headers);
  const { 'user-agent': _agent, referer, ...headers } = given;
  const client = await context.newCDPSession(page);
  if (fingerprint === undefined) {
    await hideHeadless(client, version, {
      ...options,
      acceptLanguage: languagesOf(given['accept-language']) ?? options.locale,
    });
  }
  const interception = await interceptRequests(client, {
    route: options.guardRoute,
    // A picture of a page needs its pictures.
    blockResources: config.blockResources ?? files.length === 0,
    headers,
    origin: url.origin,
    checkRedirect,
  });
  return { interception, referer };
}
