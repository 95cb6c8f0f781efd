import type { PhaseClock } from '../phase-clock.ts';
import type { CapturedResponse, PageFile } from '../page-extras.ts';
import type { RedirectCheck } from '../redirect-check.ts';
import { decodeBody } from './decode-body.ts';
import type { CookieSession } from './cookie-sessions.ts';
import { headerText, type BodyLimit, type Exchange, type HeaderMap, type Transport } from './exchange.ts';
import { followRedirects, type FinalResponse } from './follow-redirects.ts';

export interface HttpRequest extends Exchange {
  deadlineAt: number;
  signal: AbortSignal | undefined;
  cookies: CookieSession;
  ownCookies: string;
  follow: boolean;
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

/** Error pages are only read to distinguish blocks from failures. */
const ERROR_BODY: BodyLimit = { maxWireBytes: 256 * 1024, onExcess: 'cut' };

/** Sends a request over any transport, with redirects, cookies, limits and decoding. */
export async function requestPage(
  transport: Transport,
  request: HttpRequest,
  options: HttpEngineOptions,
): Promise<HttpResponse> {
  const { cutAtBytes } = request;
  const wholeBody: BodyLimit =
    cutAtBytes === undefined
      ? { maxWireBytes: options.maxWireBytes, onExcess: 'fail' }
      : { maxWireBytes: cutAtBytes, onExcess: 'cut' };
  const response = await followRedirects(transport, request, {
    deadlineAt: request.deadlineAt,
    signal: request.signal,
    maxDecodedBytes: options.maxDecodedBytes,
    cookies: request.cookies,
    ownCookies: request.ownCookies,
    follow: request.follow,
    maxRedirects: request.maxRedirects,
    checkRedirect: request.checkRedirect,
    clock: request.clock,
    limitBody: (status, headers) => {
      request.inspect?.(status, headers);
      return status >= 400 && cutAtBytes === undefined ? ERROR_BODY : wholeBody;
    },
  });
  return {
    finalUrl: response.finalUrl.href,
    status: response.status,
    headers: response.headers,
    contentType: headerText(response.headers, 'content-type'),
    body: await readBody(
      response,
      options.maxDecodedBytes,
      request.isBodyOptional === true || response.isCut,
    ),
  };
}

const NOTHING = new Uint8Array();

/** Decodes the body. An undecodable body becomes empty when it is optional or was cut off on purpose. */
async function readBody(
  response: FinalResponse,
  maxDecodedBytes: number,
  isOptional: boolean,
): Promise<Uint8Array> {
  const encoding = headerText(response.headers, 'content-encoding');
  if (encoding === '' || response.isDecoded) return response.body;
  try {
    return await decodeBody(response.body, encoding, {
      maxBytes: maxDecodedBytes,
      isPartial: response.isCut,
    });
  } catch (error) {
    if (isOptional) return NOTHING;
    throw error;
  }
}
