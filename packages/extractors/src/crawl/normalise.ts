import type { Crawl } from '@gleaner/contracts';
import { MAX_CRAWL_URL_LENGTH, MAX_URL_LENGTH, TRACKING_PARAMETERS } from '@gleaner/contracts/values';

/** The parts of a normalised address that patterns and scopes compare. */
export interface Address {
  whole: string;
  /** Host and port, then the path and the query: what follows `https://`. */
  afterScheme: string;
  /** Host, and the port unless it is the scheme's own. */
  host: string;
  path: string;
  pathAndQuery: string;
}

/** Splits an address that `normalise` made: it has a host, a path, no user and no fragment. */
export function splitAddress(whole: string): Address {
  const afterScheme = whole.slice(whole.indexOf('://') + 3);
  const slash = afterScheme.indexOf('/');
  const pathAndQuery = afterScheme.slice(slash);
  const query = pathAndQuery.indexOf('?');
  return {
    whole,
    afterScheme,
    host: afterScheme.slice(0, slash),
    path: query === -1 ? pathAndQuery : pathAndQuery.slice(0, query),
    pathAndQuery,
  };
}

const ESCAPE = /%[0-9a-f]{2}/gi;
const UNRESERVED = /^[\w.~-]$/;

/** Whether a `%` that begins no escape stands so close that a decoded character would complete it. */
function followsStrayPercent(text: string, offset: number): boolean {
  if (text[offset - 1] === '%') return true;
  return text[offset - 2] === '%' && /[0-9a-f]/i.test(text[offset - 1] ?? '');
}

/**
 * The one way to write each escape of an address (RFC 3986, 6.2.2): letters, digits and `-._~` as themselves, others
 * with capital digits. So `/%61dmin` is not another page than `/admin`, and no pattern misses it.
 */
export function canonicalEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(ESCAPE, (escape, offset: number) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    const isPlain = UNRESERVED.test(character) && !followsStrayPercent(text, offset);
    return isPlain ? character : escape.toUpperCase();
  });
}

const CLIMB = /(?:^|[/\\])\.\.(?:;[^/\\]*)?(?:[/\\]|$)/;
const SEPARATORS: Readonly<Record<string, string>> = {
  '%25': '%',
  '%2E': '.',
  '%2F': '/',
  '%5C': '\\',
  '%3B': ';',
};

/**
 * Whether a server that decodes the path once more, or drops what follows `;`, reads it as one that goes up:
 * `/docs/..%2Fadmin`, `/docs/..;/admin`.
 */
export function climbs(path: string): boolean {
  if (!path.includes('..') && !path.includes('%')) return false;
  let text = path;
  for (let round = 0; round < 3; round += 1) {
    if (CLIMB.test(text)) return true;
    text = text.replace(/%(?:25|2E|2F|5C|3B)/gi, (escape) => SEPARATORS[escape.toUpperCase()] ?? escape);
  }
  return CLIMB.test(text);
}

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
