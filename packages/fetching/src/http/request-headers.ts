import { AppError, isFramingHeader } from '@gleaner/contracts';

/** The default headers of the plain HTTP client. */
export function plainHeaders(userAgent: string): Readonly<Record<string, string>> {
  return {
    'user-agent': userAgent,
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,application/json;q=0.8,*/*;q=0.5',
    'accept-language': 'en;q=0.9,*;q=0.5',
    'accept-encoding': 'gzip, deflate, br, zstd',
  };
}

/**
 * Merges the client's headers, in lower case, over the defaults. Throws `invalid_request` for headers that a client
 * may not set, and ignores `accept-encoding`, because it must match the decoders.
 */
export function mergeHeaders(
  defaults: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>> | undefined,
  field = 'scrape_config.headers',
): Readonly<Record<string, string>> {
  if (given === undefined) return defaults;
  const merged: Record<string, string> = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (isFramingHeader(key)) {
      throw new AppError('invalid_request', { field: `${field}.${name}`, detail: `${name} can't be set` });
    }
    if (key !== 'accept-encoding') merged[key] = value;
  }
  return merged;
}

/** Headers that carry credentials; they are only sent to their first origin. */
function isCredential(name: string): boolean {
  return (
    name === 'authorization' ||
    name === 'cookie' ||
    /(^|-)(token|key|auth|secret|session|signature)(-|$)/.test(name)
  );
}

/** The headers to send after a redirect to another origin. */
export function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isCredential(name)));
}

/** The headers to send after a redirect changed a POST into a GET. */
export function withoutContent(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')));
}
