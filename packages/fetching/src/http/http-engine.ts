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
  /** May throw to refuse an answer before its body is read. */
  inspect?(status: number, headers: HeaderMap): void;
  /** Cut the body off here instead of failing. */
  cutAtBytes?: number;
  /** Leave a body out that can't be decoded. */
  isBodyOptional?: boolean | undefined;
}

export interface HttpResponse {
  finalUrl: string;
  status: number;
  headers: HeaderMap;
  contentType: string;
  /** Decoded. */
  body: Uint8Array;
}

export interface HttpEngineOptions {
  idleTimeoutMs: number;
  maxWireBytes: number;
  maxDecodedBytes: number;
}

/** An error page is only read to tell a block from a failure. */
const ERROR_BODY: BodyLimit = { maxWireBytes: 256 * 1024, onExcess: 'cut' };

/** A request with redirects, cookies, limits and decoding, over any transport. */
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
  const answer = await followRedirects(transport, request, {
    deadlineAt: request.deadlineAt,
    signal: request.signal,
    idleTimeoutMs: options.idleTimeoutMs,
    maxDecodedBytes: options.maxDecodedBytes,
    cookies: request.cookies,
    ownCookies: request.ownCookies,
    follow: request.follow,
    limitBody: (status, headers) => {
      request.inspect?.(status, headers);
      return status >= 400 && cutAtBytes === undefined ? ERROR_BODY : wholeBody;
    },
  });
  return {
    finalUrl: answer.finalUrl.href,
    status: answer.status,
    headers: answer.headers,
    contentType: headerText(answer.headers, 'content-type'),
    body: await readBody(answer, options.maxDecodedBytes, request.isBodyOptional === true || answer.isCut),
  };
}

const NOTHING = new Uint8Array();

/** The decoded body. Of one that is optional or was cut off on purpose, what can't be decoded is left out. */
async function readBody(
  answer: FinalResponse,
  maxDecodedBytes: number,
  mayBeLeftOut: boolean,
): Promise<Uint8Array> {
  const encoding = headerText(answer.headers, 'content-encoding');
  if (encoding === '' || answer.isDecoded) return answer.body;
  try {
    return await decodeBody(answer.body, encoding, { maxBytes: maxDecodedBytes, isPartial: answer.isCut });
  } catch (error) {
    if (mayBeLeftOut) return NOTHING;
    throw error;
  }
}
