import { AppError, MAX_URL_LENGTH } from '@gleaner/contracts';

function refuse(detail: string): AppError {
  return new AppError('fetch_failed', { detail, retryable: false });
}

/**
 * Parses a target as a browser does. Callers use only the parsed URL, so that no second parser can read another host.
 * Throws `fetch_failed` for schemes other than http and https, and for user information: credentials in a URL end up
 * in logs, and attackers use them to make two parsers disagree.
 */
export function parseTargetUrl(text: string, base?: URL): URL {
  if (text.length > MAX_URL_LENGTH) throw refuse(`the URL is longer than ${MAX_URL_LENGTH} characters`);
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    throw refuse('the URL is not valid');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refuse(`only http and https are fetched, not ${url.protocol.slice(0, 30)}`);
  }
  if (url.username !== '' || url.password !== '') throw refuse('a URL with user information is not fetched');
  if (url.port === '0') throw refuse('target not allowed');
  return url;
}

/** The port that the URL names, or its scheme's own. */
export function portOf({ port, protocol }: { port: string; protocol: string }): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/** The address of the document: a fragment names a place in it. */
export function withoutHash(url: string): string {
  return url.split('#', 1)[0] ?? '';
}
