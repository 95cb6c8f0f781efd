import { CookieJar } from 'tough-cookie';
import type { HeaderMap } from './exchange.ts';

/** The cookies of one fetch, or of all fetches with one session key. Nothing is made before a cookie exists. */
export interface CookieSession {
  /** The `Cookie` header for a URL; empty when there is none. `own` are the request's configured cookies. */
  header(url: URL, own: string): string;
  /** Keeps what an answer sets. */
  keep(url: URL, headers: HeaderMap): void;
}

export interface CookieSessions {
  open(sessionKey: string | undefined): CookieSession;
  size(): number;
}

const MAX_SESSIONS = 10_000;
const MAX_COOKIES_PER_ANSWER = 50;
/** Browsers keep some 180 of a host. A session with more begins anew: a site may set one for each of its pages. */
const MAX_COOKIES = 300;

function nameOf(pair: string): string {
  return pair.slice(0, Math.max(0, pair.indexOf('='))).trim();
}

/** One `Cookie` header of two: `own` wins over others of the same name. */
export function joinCookies(others: string, own: string): string {
  if (others === '' || own === '') return others || own;
  const ownNames = new Set(own.split(';').map(nameOf));
  const rest = others.split(/;\s*/).filter((pair) => !ownNames.has(nameOf(pair)));
  return [own, ...rest].join('; ');
}

interface JarHolder {
  jar: CookieJar | undefined;
  /** Cookies in the jar, or more: one that is set again counts twice until they are counted. */
  most: number;
}

function newHolder(): JarHolder {
  return { jar: undefined, most: 0 };
}

function bound(holder: JarHolder): void {
  if (holder.most <= MAX_COOKIES) return;
  holder.most = holder.jar?.serializeSync()?.cookies.length ?? 0;
  if (holder.most > MAX_COOKIES / 2) Object.assign(holder, newHolder());
}

function createSession(holder: JarHolder): CookieSession {
  return {
    header: (url, own) => {
      if (holder.jar === undefined) return own;
      return joinCookies(holder.jar.getCookieStringSync(url.href), own);
    },
    keep: (url, headers) => {
      const given = headers['set-cookie'];
      if (given === undefined) return;
      holder.jar ??= new CookieJar(undefined, { looseMode: true });
      for (const cookie of (typeof given === 'string' ? [given] : given).slice(0, MAX_COOKIES_PER_ANSWER)) {
        holder.jar.setCookieSync(cookie, url.href, { ignoreError: true });
        holder.most += 1;
      }
      bound(holder);
    },
  };
}

/** Cookie jars by session key; the ones used longest ago are forgotten first. */
export function createCookieSessions(): CookieSessions {
  const holders = new Map<string, JarHolder>();
  return {
    open: (sessionKey) => {
      if (sessionKey === undefined) return createSession(newHolder());
      const holder = holders.get(sessionKey) ?? newHolder();
      holders.delete(sessionKey);
      holders.set(sessionKey, holder);
      if (holders.size > MAX_SESSIONS) holders.delete(holders.keys().next().value ?? '');
      return createSession(holder);
    },
    size: () => holders.size,
  };
}

/** A configured cookie's value, so that it is one value and not two cookies. */
export function encodeCookie(value: string): string {
  return value.replace(/[;\r\n]/g, encodeURIComponent);
}

/** A `Cookie` header from the `cookies` of a scrape configuration. */
export function formatCookies(cookies: Readonly<Record<string, string>> | undefined): string {
  return cookies === undefined
    ? ''
    : Object.entries(cookies)
        .map(([name, value]) => `${name}=${encodeCookie(value)}`)
        .join('; ');
}
