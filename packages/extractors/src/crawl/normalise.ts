import type { Crawl } from '@gleaner/contracts';
import { MAX_CRAWL_URL_LENGTH, MAX_URL_LENGTH, TRACKING_PARAMETERS } from '@gleaner/contracts/values';
import { canonicalEscapes } from './escapes.ts';

const TRACKING_PREFIXES = TRACKING_PARAMETERS.filter((name) => name.endsWith('*')).map((name) =>
  name.slice(0, -1),
);
const TRACKING_NAMES: ReadonlySet<string> = new Set(TRACKING_PARAMETERS);

function isTracking(name: string): boolean {
  const lowered = name.toLowerCase();
  return TRACKING_NAMES.has(lowered) || TRACKING_PREFIXES.some((prefix) => lowered.startsWith(prefix));
}

/** The name of a parameter, without its escapes. */
function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  const name = equals === -1 ? parameter : parameter.slice(0, equals);
  if (!/[%+]/.test(name)) return name;
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

function isPage({ protocol, username, password, port }: URL): boolean {
  return (
    (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' && port !== '0'
  );
}

/** How a crawl writes the address of a page. Null: not an address of http or https, too long, or with a user. */
export type Normalise = (url: string | URL, base?: string) => string | null;

/**
 * Makes the function that gives all addresses of one page the same text: as WHATWG reads them, without fragment,
 * tracking parameters and those of `ignore_query`, each escape written in one way. Other parameters keep their order.
 */
export function createNormalise(ignoreQuery: Crawl['ignore_query']): Normalise {
  const ignored = new Set(ignoreQuery === true ? [] : ignoreQuery);
  const isKept = (parameter: string): boolean => {
    const name = nameOf(parameter);
    return !ignored.has(name) && !isTracking(name);
  };
  const keptQuery = (query: string): string => {
    if (ignoreQuery === true || query === '') return '';
    const kept = query.split('&').filter(isKept).join('&');
    return kept === '' ? '' : `?${kept}`;
  };
  return (written, base) => {
    if (typeof written === 'string' && written.length > MAX_URL_LENGTH) return null;
    const url = typeof written === 'string' ? URL.parse(written, base) : written;
    if (url === null || !isPage(url)) return null;
    const hash = url.href.indexOf('#');
    const address = canonicalEscapes(hash === -1 ? url.href : url.href.slice(0, hash));
    const query = address.indexOf('?');
    const text = query === -1 ? address : address.slice(0, query) + keptQuery(address.slice(query + 1));
    return text.length > MAX_CRAWL_URL_LENGTH ? null : text;
  };
}
