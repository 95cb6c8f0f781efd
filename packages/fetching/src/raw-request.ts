import { parseTargetUrl } from './egress/target-url.ts';
import type { RawRequest, RawResponse } from './fetch-types.ts';
import type { CookieSession } from './http/cookie-sessions.ts';
import type { HeaderMap, Transport } from './http/exchange.ts';
import { toFetchFailure } from './http/fetch-failure.ts';
import { requestPage, type HttpEngineOptions } from './http/http-engine.ts';
import { mergeHeaders } from './http/request-headers.ts';

/** The response headers with one text per name, without cookies. */
export function flattenHeaders(headers: HeaderMap): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === 'set-cookie') continue;
    flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}

export interface RawRequestDeps {
  transport: Transport;
  defaults: Readonly<Record<string, string>>;
  cookies: CookieSession;
  engine: HttpEngineOptions;
}

/** Sends one request and returns the response uninterpreted, with any status and type. */
export async function sendRaw(request: RawRequest, deps: RawRequestDeps): Promise<RawResponse> {
  const startedAt = Date.now();
  try {
    const response = await requestPage(
      deps.transport,
      {
        url: parseTargetUrl(request.url),
        method: request.method ?? 'GET',
        headers: mergeHeaders(deps.defaults, request.headers, 'headers'),
        body: request.body,
        deadlineAt: request.deadlineAt,
        signal: request.signal,
        cookies: deps.cookies,
        ownCookies: request.headers?.['cookie'] ?? '',
        follow: request.followRedirects ?? true,
        cutAtBytes: request.maxBytes,
        isBodyOptional: request.isBodyOptional,
      },
      deps.engine,
    );
    return {
      url: request.url,
      finalUrl: response.finalUrl,
      status: response.status,
      contentType: response.contentType,
      headers: flattenHeaders(response.headers),
      body: response.body,
      timings: { startedAt, totalMs: Date.now() - startedAt, waitedMs: 0 },
    };
  } catch (error) {
    if (request.signal?.aborted === true) throw request.signal.reason;
    throw toFetchFailure(error);
  }
}
