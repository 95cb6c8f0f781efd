import { AppError } from '@gleaner/contracts';
import { timedOut } from '../http/fetch-failure.ts';
import { ProxyFault } from '../proxies/proxy-rests.ts';

/** Messages for Chromium's net errors and Playwright's errors, without addresses. The first match counts. */
const MEANINGS: readonly (readonly [pattern: RegExp, detail: string, retryable: boolean])[] = [
  [/ERR_CERT_|ERR_SSL_(?!PROTOCOL)/, "the target's certificate is not valid", false],
  [/ERR_SSL_PROTOCOL|ERR_TLS/, 'the TLS handshake failed', false],
  [/ERR_TOO_MANY_REDIRECTS/, 'more than 10 redirects', false],
  [
    /ERR_UNSAFE_REDIRECT|ERR_UNKNOWN_URL_SCHEME|ERR_UNSAFE_PORT|ERR_ACCESS_DENIED/,
    'target not allowed',
    false,
  ],
  [/Download is starting/, 'the target answered with a download', false],
  [/ERR_ABORTED/, 'the target answered without a page', false],
  [
    /ERR_INVALID_RESPONSE|ERR_INVALID_HTTP_RESPONSE|ERR_CONTENT_DECODING/,
    "the target's answer is not valid HTTP",
    false,
  ],
  [
    /ERR_CONNECTION_|ERR_EMPTY_RESPONSE|ERR_SOCKET|ERR_HTTP2|ERR_NETWORK|ERR_CONTENT_LENGTH|ERR_INCOMPLETE_CHUNKED/,
    'the target closed the connection',
    true,
  ],
  [
    /ERR_TUNNEL|ERR_PROXY|ERR_NAME_NOT_RESOLVED|ERR_ADDRESS|ERR_INTERNET/,
    'the target could not be reached',
    true,
  ],
  [/crashed/i, 'the page crashed the browser', true],
  [/has been closed|Target closed|Browser closed|disconnected|Protocol error/i, 'the browser ended', true],
];

function isTimeout(error: unknown, text: string): boolean {
  return (
    (error instanceof Error && error.name === 'TimeoutError') ||
    /ERR_TIMED_OUT|ERR_CONNECTION_TIMED_OUT/.test(text)
  );
}

/** Whether the connection failed, which counts against a proxy on the way. */
function isConnectionFault(text: string): boolean {
  return /ERR_(CERT|SSL|TLS|TUNNEL|PROXY|CONNECTION|EMPTY_RESPONSE|SOCKET|NAME_NOT|ADDRESS|INTERNET|NETWORK|HTTP2)/.test(
    text,
  );
}

/** Converts Playwright's error to an AppError, or to a ProxyFault when a proxy may have caused it. */
export function toNavigationFailure(error: unknown, isProxied: boolean): AppError {
  if (error instanceof AppError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (isTimeout(error, text)) return timedOut();
  if (isProxied && isConnectionFault(text)) {
    return new ProxyFault('fetch_failed', {
      detail: 'the connection through the proxy failed',
      cause: error,
    });
  }
  const [, detail = 'the browser could not load the page', retryable = true] =
    MEANINGS.find(([pattern]) => pattern.test(text)) ?? [];
  return new AppError('fetch_failed', { detail, retryable, cause: error });
}
