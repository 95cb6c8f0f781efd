import { AppError } from '@gleaner/contracts';
import { parseTargetUrl } from '../egress/target-url.ts';
import type { RedirectCheck } from '../redirect-check.ts';
import type { CookieSession } from './cookie-sessions.ts';
import {
  headerText,
  type ExchangeResponse,
  type BodyLimit,
  type Exchange,
  type ExchangeOptions,
  type HeaderMap,
  type Transport,
} from './exchange.ts';
import { withoutContent, withoutCredentials } from './request-headers.ts';

const MAX_REDIRECTS = 10;

/** The page redirects more often than its caller follows. */
export class RedirectLimitError extends AppError {
  constructor(limit: number) {
    super('fetch_failed', { detail: `more than ${limit} redirects`, retryable: false });
  }
}

/** Reading a redirect's body keeps the connection usable; a long body is not worth that. */
const REDIRECT_BODY: BodyLimit = { maxWireBytes: 65_536, onExcess: 'cut' };

export interface RedirectOptions extends ExchangeOptions {
  cookies: CookieSession;
  /** Configured cookies; sent to the first origin only. */
  ownCookies: string;
  follow: boolean;
  /** Default 10. */
  maxRedirects?: number | undefined;
  checkRedirect?: RedirectCheck | undefined;
}

export interface FinalResponse extends ExchangeResponse {
  finalUrl: URL;
}

function isRedirect(status: number, headers: HeaderMap): boolean {
  return (
    (status === 301 || status === 302 || status === 303 || status === 307 || status === 308) &&
    headers['location'] !== undefined
  );
}

/** Header values arrive as latin1. Like browsers, this reads a location with raw UTF-8 bytes as UTF-8. */
function readLocation(headers: HeaderMap): string {
  const text = headerText(headers, 'location');
  return /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
}

function nextExchange(current: Exchange, status: number, url: URL): Exchange {
  const becomesGet =
    (status === 303 && current.method !== 'HEAD') ||
    ((status === 301 || status === 302) && current.method === 'POST');
  const isOtherOrigin = url.origin !== current.url.origin;
  const kept = isOtherOrigin ? withoutCredentials(current.headers) : current.headers;
  if (becomesGet) return { url, method: 'GET', headers: withoutContent(kept) };
  return { ...current, url, headers: kept };
}

/**
 * Sends a request and follows its redirects. Each target URL is parsed and checked again, credentials are not
 * sent to another origin, and cookies are stored at every hop. The egress guard decides about every connection.
 */
export async function followRedirects(
  transport: Transport,
  first: Exchange,
  options: RedirectOptions,
): Promise<FinalResponse> {
  const { cookies, follow, maxRedirects = MAX_REDIRECTS } = options;
  const hopOptions: ExchangeOptions = {
    ...options,
    limitBody: (status, headers) =>
      follow && isRedirect(status, headers) ? REDIRECT_BODY : options.limitBody(status, headers),
  };
  let current = first;
  let { ownCookies } = options;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const cookie = cookies.header(current.url, ownCookies);
    const sent = cookie === '' ? current : { ...current, headers: { ...current.headers, cookie } };
    const response = await transport(sent, hopOptions);
    cookies.keep(current.url, response.headers);
    if (!follow || !isRedirect(response.status, response.headers))
      return { ...response, finalUrl: current.url };
    const url = parseTargetUrl(readLocation(response.headers), current.url);
    if (url.hash === '') url.hash = current.url.hash;
    await options.checkRedirect?.(url);
    if (url.origin !== current.url.origin) ownCookies = '';
    current = nextExchange(current, response.status, url);
  }
  throw new RedirectLimitError(maxRedirects);
}
