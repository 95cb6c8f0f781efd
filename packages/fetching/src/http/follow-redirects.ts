import { AppError } from '@gleaner/contracts';
import { parseTargetUrl } from '../egress/target-url.ts';
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
/** A redirect's body is read to keep the connection, but not for long. */
const REDIRECT_BODY: BodyLimit = { maxWireBytes: 65_536, onExcess: 'cut' };

export interface RedirectOptions extends ExchangeOptions {
  cookies: CookieSession;
  /** Configured cookies, for the first origin only. */
  ownCookies: string;
  follow: boolean;
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

/** Header values come as latin1; a location with raw UTF-8 bytes is read as what it is, like browsers do. */
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
 * Sends a request and follows its redirects: at most 10, each target read and checked anew, credentials left
 * behind at another origin, cookies kept on the way. The egress guard decides on every hop's connection.
 */
export async function followRedirects(
  transport: Transport,
  first: Exchange,
  options: RedirectOptions,
): Promise<FinalResponse> {
  const { cookies, follow } = options;
  const hopOptions: ExchangeOptions = {
    ...options,
    limitBody: (status, headers) =>
      follow && isRedirect(status, headers) ? REDIRECT_BODY : options.limitBody(status, headers),
  };
  let current = first;
  let { ownCookies } = options;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const cookie = cookies.header(current.url, ownCookies);
    const sent = cookie === '' ? current : { ...current, headers: { ...current.headers, cookie } };
    const answer = await transport(sent, hopOptions);
    cookies.keep(current.url, answer.headers);
    if (!follow || !isRedirect(answer.status, answer.headers)) return { ...answer, finalUrl: current.url };
    const url = parseTargetUrl(readLocation(answer.headers), current.url);
    if (url.hash === '') url.hash = current.url.hash;
    if (url.origin !== current.url.origin) ownCookies = '';
    current = nextExchange(current, answer.status, url);
  }
  throw new AppError('fetch_failed', { detail: `more than ${MAX_REDIRECTS} redirects`, retryable: false });
}
