import type { Crawl } from '@gleaner/contracts';
import {
  type AddressRule,
  MAX_CRAWL_URL_LENGTH,
  MAX_URL_LENGTH,
  SESSION_PARAMETERS,
  TRACKING_PARAMETERS,
} from '@gleaner/contracts/values';

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

/** What no address may hold as it is (RFC 3986), though browsers send it so. */
const NEEDS_ESCAPE = /[|^[\]{}`\\"<>]/g;

/** `canonicalEscapes` for paths and queries by rule 2: `a|b` is not another page than `a%7Cb`. */
export function fullEscapes(text: string): string {
  return canonicalEscapes(text).replace(
    NEEDS_ESCAPE,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const SESSION_PREFIXES = SESSION_PARAMETERS.filter((name) => name.endsWith('*')).map((name) =>
  name.slice(0, -1),
);
const SESSION_NAMES: ReadonlySet<string> = new Set(SESSION_PARAMETERS);
/** Names that mean other things too: they name a visit where the value is a random one. */
const MAYBE_SESSION = new Set(['sid', 's', 'sess', 'session', 'sessid']);
const RANDOM = /^[0-9a-f]{32}$|^[0-9a-f]{40}$|^[0-9a-f]{64}$/i;

function isSession(name: string, parameter: string): boolean {
  const lowered = name.toLowerCase();
  if (SESSION_NAMES.has(lowered) || SESSION_PREFIXES.some((prefix) => lowered.startsWith(prefix)))
    return true;
  return MAYBE_SESSION.has(lowered) && RANDOM.test(parameter.slice(parameter.indexOf('=') + 1));
}

/** `/a;jsessionid=1F2`, and `/(S(abc))/a` of ASP.NET. */
const SESSIONS_IN_PATHS = [/;jsessionid=[^/;]*/gi, /\/\([SA]\([a-z0-9]{1,60}\)\)(?=\/)/gi];

/** The address without the visit in its path. What follows may be a step up, so it is read as an address again. */
function withoutSession(url: URL): URL {
  if (!/;jsessionid=|\/\(/i.test(url.pathname)) return url;
  const path = SESSIONS_IN_PATHS.reduce((text, session) => text.replaceAll(session, ''), url.pathname);
  if (path.length === url.pathname.length) return url;
  const shorter = new URL(url);
  shorter.pathname = path;
  return withoutSession(shorter);
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
 * By rule 2 also without empty parts of the query and without what names a visit.
 */
export function createNormalise(ignoreQuery: Crawl['ignore_query'], rule: AddressRule = 1): Normalise {
  const ignored = new Set(ignoreQuery === true ? [] : ignoreQuery);
  const isKept = (parameter: string): boolean => {
    const name = nameOf(parameter);
    if (ignored.has(name) || isTracking(name)) return false;
    return rule === 1 || (parameter !== '' && !isSession(name, parameter));
  };
  const rewrite = ({ href, origin }: URL): string => {
    const hash = href.indexOf('#');
    const address = hash === -1 ? href : href.slice(0, hash);
    return rule === 1 ? canonicalEscapes(address) : origin + fullEscapes(address.slice(origin.length));
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
    const address = rewrite(rule === 1 ? url : withoutSession(url));
    const query = address.indexOf('?');
    const text = query === -1 ? address : address.slice(0, query) + keptQuery(address.slice(query + 1));
    return text.length > MAX_CRAWL_URL_LENGTH ? null : text;
  };
}
