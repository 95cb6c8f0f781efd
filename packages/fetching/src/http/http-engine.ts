import { AppError, type FileFact } from '@gleaner/contracts';
import { parseTargetUrl } from '../egress/target-url.ts';
import type { PhaseClock } from '../phase-clock.ts';
import type { RedirectCheck, RedirectHop } from '../redirect-check.ts';
import type { CookieSession } from './cookie-sessions.ts';
import { decodeBody } from './decode-body.ts';
import { refreshOf } from './refresh.ts';
import {
  headerText,
  type BodyLimit,
  type Exchange,
  type ExchangeOptions,
  type ExchangeResponse,
  type HeaderMap,
  type Transport,
} from './exchange.ts';
import { withoutContent, withoutCredentials } from './request-headers.ts';

export interface HttpRequest extends Exchange {
  deadlineAt: number;
  signal: AbortSignal | undefined;
  cookies: CookieSession;
  /** Configured cookies; sent to the first origin only. */
  ownCookies: string;
  follow: boolean;
  /** Also where a page leads by a refresh of a few seconds. */
  followRefresh?: boolean | undefined;
  /** Default 10. */
  maxRedirects?: number | undefined;
  checkRedirect?: RedirectCheck | undefined;
  clock?: PhaseClock | undefined;
  /** May throw to refuse a response before its body is read. */
  inspect?(status: number, headers: HeaderMap): void;
  /** Cut the body off here instead of failing. */
  cutAtBytes?: number;
  /** Leave out a body that can't be decoded. */
  isBodyOptional?: boolean | undefined;
}

/** A file made of a page in a browser. */
export interface PageFile {
  fact: FileFact;
  contentType: 'image/png' | 'image/jpeg' | 'application/pdf';
  bytes: Uint8Array;
}

/** A response that the scripts of a page loaded in the browser. */
export interface CapturedResponse {
  /** Final address of the response. */
  url: string;
  /** Body of the response as text. */
  json: string;
}

export interface HttpResponse {
  finalUrl: string;
  status: number;
  headers: HeaderMap;
  contentType: string;
  /** Decoded. */
  body: Uint8Array;
  /** Responses that the page's scripts loaded, when the request keeps some. */
  captures?: readonly CapturedResponse[];
  /** Files that a browser made of the page. */
  files?: readonly PageFile[];
}

export interface HttpEngineOptions {
  maxWireBytes: number;
  maxDecodedBytes: number;
}

export const MAX_REDIRECTS = 10;

/** Sites that set a cookie and look for it send a program without it in a circle. */
export const REDIRECTS_HINT =
  'The page may redirect in a circle until it gets a cookie: give cookies, or useBrowser, which keeps them.';

/** The page redirects more often than its caller follows. */
export class RedirectLimitError extends AppError {
  constructor(limit: number) {
    super('fetch_failed', { detail: `more than ${limit} redirects`, hint: REDIRECTS_HINT, retryable: false });
  }
}

/** Reading a redirect's body keeps the connection usable; a long body is not worth that. */
const REDIRECT_BODY: BodyLimit = { maxWireBytes: 65_536, onExcess: 'cut' };
/** Error pages are only read to distinguish blocks from failures. */
const ERROR_BODY: BodyLimit = { maxWireBytes: 256 * 1024, onExcess: 'cut' };

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

function hopOf({ url, method, body }: Exchange, cookies: CookieSession): RedirectHop {
  return { isPlain: method === 'GET' && body === undefined, cookies: cookies.header(url, '') };
}

/**
 * Sends a request and follows its redirects. Each target URL is parsed and checked again, credentials are not
 * sent to another origin, and cookies are stored at every hop. The egress guard decides about every connection.
 */
async function followRedirects(
  transport: Transport,
  request: HttpRequest,
  options: ExchangeOptions,
): Promise<ExchangeResponse & { finalUrl: URL; last: Exchange; hops: number; ownCookies: string }> {
  const { cookies, follow, maxRedirects = MAX_REDIRECTS } = request;
  let current: Exchange = request;
  let { ownCookies } = request;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const cookie = cookies.header(current.url, ownCookies);
    const sent = cookie === '' ? current : { ...current, headers: { ...current.headers, cookie } };
    const response = await transport(sent, options);
    cookies.keep(current.url, response.headers);
    if (!follow || !isRedirect(response.status, response.headers))
      return { ...response, finalUrl: current.url, last: current, hops: hop, ownCookies };
    const url = parseTargetUrl(readLocation(response.headers), current.url);
    if (url.hash === '') url.hash = current.url.hash;
    const next = nextExchange(current, response.status, url);
    await request.checkRedirect?.(url, hopOf(next, cookies));
    if (url.origin !== current.url.origin) ownCookies = '';
    current = next;
  }
  throw new RedirectLimitError(maxRedirects);
}

/**
 * Sends a request over any transport, with redirects, cookies, limits and decoding.
 * @param limit the redirects of the whole request, for the error
 */
export async function requestPage(
  transport: Transport,
  request: HttpRequest,
  limits: HttpEngineOptions,
  limit = request.maxRedirects ?? MAX_REDIRECTS,
): Promise<HttpResponse> {
  const { maxWireBytes, maxDecodedBytes } = limits;
  const { deadlineAt, signal, clock, cutAtBytes, maxRedirects = MAX_REDIRECTS } = request;
  const wholeBody: BodyLimit =
    cutAtBytes === undefined
      ? { maxWireBytes, onExcess: 'fail' }
      : { maxWireBytes: cutAtBytes, onExcess: 'cut' };
  const response = await followRedirects(transport, request, {
    deadlineAt,
    signal,
    clock,
    maxDecodedBytes,
    limitBody: (status, headers) => {
      if (request.follow && isRedirect(status, headers)) return REDIRECT_BODY;
      request.inspect?.(status, headers);
      return status >= 400 && cutAtBytes === undefined ? ERROR_BODY : wholeBody;
    },
  });
  const isOptional = request.isBodyOptional === true || response.isCut;
  const page: HttpResponse = {
    finalUrl: response.finalUrl.href,
    status: response.status,
    headers: response.headers,
    contentType: headerText(response.headers, 'content-type'),
    body: await readBody(response, maxDecodedBytes, isOptional),
  };
  const next = request.followRefresh === true ? refreshOf(page) : undefined;
  if (next === undefined) return page;
  const target = parseTargetUrl(next.href);
  if (response.hops >= maxRedirects) throw new RedirectLimitError(limit);
  // A refresh is a navigation of its own, never a repeated form.
  const exchange = nextExchange({ ...response.last, method: 'POST' }, 302, target);
  await request.checkRedirect?.(target, hopOf(exchange, request.cookies));
  const further: HttpRequest = {
    ...request,
    body: undefined,
    ...exchange,
    ownCookies: target.origin === response.finalUrl.origin ? response.ownCookies : '',
    maxRedirects: maxRedirects - response.hops - 1,
  };
  return requestPage(transport, further, limits, limit);
}

/** Decodes the body. An undecodable body becomes empty when it is optional or was cut off on purpose. */
async function readBody(
  { headers, body, isDecoded, isCut }: ExchangeResponse,
  maxBytes: number,
  isOptional: boolean,
): Promise<Uint8Array> {
  const encoding = headerText(headers, 'content-encoding');
  if (encoding === '' || isDecoded) return body;
  try {
    return await decodeBody(body, encoding, { maxBytes, isPartial: isCut });
  } catch (error) {
    if (isOptional) return new Uint8Array();
    throw error;
  }
}
