import type { IncomingMessage } from 'node:http';

const INNER_HEADER = 'x-gleaner-query-key';

/**
 * Takes `api_key` out of a request's URL before anything can log, route or echo it.
 * @returns the URL without the key
 */
export function hideQueryKey(request: IncomingMessage): string {
  const url = request.url ?? '/';
  delete request.headers[INNER_HEADER];
  const start = url.indexOf('?');
  if (start === -1 || !/api_?key/i.test(decodeQuietly(url.slice(start)))) return url;
  const query = new URLSearchParams(url.slice(start + 1));
  const key = query.get('api_key');
  if (key === null) return url;
  query.delete('api_key');
  request.headers[INNER_HEADER] = key;
  const rest = query.toString();
  return rest === '' ? url.slice(0, start) : `${url.slice(0, start)}?${rest}`;
}

function decodeQuietly(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What `Authorization: Bearer` has: a key or a token. */
export function readBearer(headers: IncomingMessage['headers']): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

/** The key of a request, preferably from the header. */
export function readApiKey(headers: IncomingMessage['headers']): string | undefined {
  // An empty header is none: a program whose variable is not set sends one.
  const key = [headers['x-api-key'], headers[INNER_HEADER]].find((one) => one !== undefined && one !== '');
  return typeof key === 'string' ? key : undefined;
}
