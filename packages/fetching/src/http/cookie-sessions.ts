import { LRUCache } from 'lru-cache';
import { CookieJar } from 'tough-cookie';
import type { HeaderMap } from './exchange.ts';

export type CookieSession = ReturnType<typeof createSession>;
export type CookieSessions = ReturnType<typeof createCookieSessions>;

const MAX_SESSIONS = 10_000;
const MAX_COOKIES_PER_RESPONSE = 50;
/** Browsers keep about 180 cookies per host. A session with more starts afresh: a site may set one per page. */
const MAX_COOKIES = 300;

function nameOf(pair: string): string {
  return pair.slice(0, Math.max(0, pair.indexOf('='))).trim();
}

/** Joins two `Cookie` headers. A cookie in `own` replaces others of the same name. */
export function joinCookies(others: string, own: string): string {
  if (others === '' || own === '') return others || own;
  const ownNames = new Set(own.split(';').map(nameOf));
  const rest = others.split(/;\s*/).filter((pair) => !ownNames.has(nameOf(pair)));
  return [own, ...rest].join('; ');
}

/** The cookies of one fetch, or of all fetches of one visitor. The jar is created with the first cookie. */
function createSession() {
  let jar: CookieJar | undefined;
  /** Upper bound of the cookies in the jar: a cookie that is set again counts twice until the next exact count. */
  let maxCount = 0;
  return {
    /** The `Cookie` header for a URL; empty when there is none. `own` are the request's configured cookies. */
    header: (url: URL, own: string): string =>
      jar === undefined ? own : joinCookies(jar.getCookieStringSync(url.href), own),
    /** Stores what `header` gave another session for this URL. */
    restore: (url: URL, header: string): void => {
      jar ??= new CookieJar(undefined, { looseMode: true });
      for (const pair of header.split(/;\s*/))
        jar.setCookieSync(`${pair}; Path=/`, url.href, { ignoreError: true });
    },
    /** Stores the cookies that a response sets. */
    keep: (url: URL, headers: HeaderMap): void => {
      const given = headers['set-cookie'];
      if (given === undefined) return;
      jar ??= new CookieJar(undefined, { looseMode: true });
      for (const cookie of (typeof given === 'string' ? [given] : given).slice(0, MAX_COOKIES_PER_RESPONSE)) {
        jar.setCookieSync(cookie, url.href, { ignoreError: true });
        maxCount += 1;
      }
      if (maxCount <= MAX_COOKIES) return;
      maxCount = jar.serializeSync()?.cookies.length ?? 0;
      if (maxCount <= MAX_COOKIES / 2) return;
      jar = undefined;
      maxCount = 0;
    },
  };
}

/** The cookies of visitors; those of the least recently used are dropped first. */
export function createCookieSessions() {
  const sessions = new LRUCache<string, CookieSession>({ max: MAX_SESSIONS });
  return {
    /** @param visitor id of a proxy session; undefined for a fetch on its own */
    open: (visitor: string | undefined): CookieSession => {
      if (visitor === undefined) return createSession();
      const session = sessions.get(visitor) ?? createSession();
      sessions.set(visitor, session);
      return session;
    },
  };
}

/** Escapes a configured cookie's value so that it can't form a second cookie. */
export function encodeCookie(value: string): string {
  return value.replace(/[;\r\n]/g, encodeURIComponent);
}

/** Builds a `Cookie` header from the `cookies` of a scrape configuration. */
export function formatCookies(cookies: Readonly<Record<string, string>> | undefined): string {
  return cookies === undefined
    ? ''
    : Object.entries(cookies)
        .map(([name, value]) => `${name}=${encodeCookie(value)}`)
        .join('; ');
}
