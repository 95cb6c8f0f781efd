import { readProxy, usesBrowser, type ProxyTier } from '@gleaner/contracts';
import type { BrowserEngine } from './browser/browser-types.ts';
import { requireContent } from './empty-page.ts';
import type { FetchEngine, FetchRequest } from './fetch-types.ts';
import { formatCookies, joinCookies, type CookieSessions } from './http/cookie-sessions.ts';
import { PdfRefusedError, requirePageType } from './http/content-type.ts';
import { headerText, type HeaderMap, type Transport } from './http/exchange.ts';
import { requestPage, type HttpResponse, type HttpEngineOptions } from './http/http-engine.ts';
import { createImpitTransport } from './http/impit-transport.ts';
import { mergeHeaders } from './http/request-headers.ts';
import type { PhaseClock } from './phase-clock.ts';
import type { CrawlVisit } from './crawler.ts';
import type { RedirectCheck } from './redirect-check.ts';
import type { ProxySession, ProxyTiers } from './proxies/proxy-tiers.ts';

export interface PageClients {
  plain: Transport;
  plainHeaders: Readonly<Record<string, string>>;
  http: HttpEngineOptions;
  cookies: CookieSessions;
  tiers: ProxyTiers;
  browser: BrowserEngine;
}

/** A request with what its attempts share. */
export interface PageRequest extends FetchRequest {
  /** Its url, parsed. */
  target: URL;
  checkRedirect: RedirectCheck | undefined;
  visit: CrawlVisit | undefined;
  /** Called when the bytes of a request have left, or later. */
  onSent?: (() => void) | undefined;
}

/** A clock that tells when a request has left. impit connects in its phase `first_byte`, so its answer tells it. */
function tellingClock(
  { clock, onSent }: PageRequest,
  session: ProxySession | undefined,
): PhaseClock | undefined {
  if (onSent === undefined) return clock;
  const at = session === undefined ? 'first_byte' : 'download';
  return {
    enter: (phase) => {
      if (phase === at) onSent();
      clock?.enter(phase);
    },
    leave: () => clock?.leave(),
    read: () => clock?.read(),
  };
}

/** The client and proxy of one attempt. */
export interface AttemptPlan {
  tier: ProxyTier;
  engine: FetchEngine;
  session: ProxySession | undefined;
}

/** Chooses client and proxy session. Throws `temporarily_unavailable` for a tier without proxies. */
export function planAttempt(request: PageRequest, tiers: ProxyTiers): AttemptPlan {
  const { config, target } = request;
  const { tier, country } = readProxy(config.proxy);
  const session = tiers.take({
    tier,
    requiredCountry: country,
    preferredCountry: config.country?.toLowerCase(),
    group: `${request.accountId} ${target.host}`,
  });
  const plainEngine = session === undefined ? 'http' : 'impit';
  return { tier, session, engine: usesBrowser(config) ? 'browser' : plainEngine };
}

/** A body without a type of the caller's own is JSON or a form. */
function typedHeaders(
  headers: Readonly<Record<string, string>>,
  body: FetchRequest['body'],
): Readonly<Record<string, string>> {
  if (body === undefined || headers['content-type'] !== undefined) return headers;
  const isJson = typeof body === 'string' && /^\s*[[{]/.test(body);
  return { ...headers, 'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded' };
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** One impit client per proxy session; it holds the session's connections. */
function createImpitClients() {
  const transports = new WeakMap<ProxySession, Transport>();
  return (session: ProxySession, tier: ProxyTier): Transport => {
    const known = transports.get(session);
    if (known !== undefined) return known;
    const made = createImpitTransport({ route: session.route, asBrowser: tier !== 'default' });
    transports.set(session, made);
    return made;
  };
}

/** Loads a page once with the planned client and proxy. */
export type PageLoader = (
  request: PageRequest,
  plan: AttemptPlan,
  deadlineAt: number,
) => Promise<HttpResponse>;

export function createPageLoader(clients: PageClients): PageLoader {
  const impitClient = createImpitClients();

  const loadPlain: PageLoader = (request, { session, tier }, deadlineAt) => {
    const { config } = request;
    // In the tiers that imitate a browser, impit adds that browser's headers itself.
    const defaults = session === undefined || tier === 'default' ? clients.plainHeaders : NO_HEADERS;
    // Sent as a plain header, these cookies would be lost once the target sets its first cookie.
    const { cookie = '', ...headers } = mergeHeaders(defaults, config.headers);
    const cookies = clients.cookies.open(session?.id);
    if (request.redirected?.cookies !== undefined)
      cookies.restore(request.target, request.redirected.cookies);
    return requestPage(
      session === undefined ? clients.plain : impitClient(session, tier),
      {
        url: request.target,
        method: request.method ?? 'GET',
        headers: typedHeaders(headers, request.body),
        body: request.body,
        deadlineAt,
        signal: request.signal,
        cookies,
        ownCookies: joinCookies(cookie, formatCookies(config.cookies)),
        clock: tellingClock(request, session),
        follow: true,
        followRefresh: true,
        checkRedirect: request.checkRedirect,
        inspect: (status: number, headers: HeaderMap) => {
          if (status < 400) requirePageType(headerText(headers, 'content-type'), request.readsPdf === true);
        },
      },
      clients.http,
    );
  };

  const loadInBrowser: PageLoader = (request, plan, deadlineAt) => {
    request.clock?.enter('render');
    const { target } = request;
    return clients.browser.fetch({
      url: target,
      config: request.config,
      deadlineAt,
      signal: request.signal,
      route: plan.session?.route,
      checkRedirect: request.checkRedirect,
      onResponse: request.onSent,
      // A crawler that says its name wears no mask.
      fingerprintKey:
        plan.tier === 'hardcore' && request.visit === undefined
          ? (plan.session?.id ?? target.host)
          : undefined,
      capture: request.capture,
      files: request.files,
    });
  };

  const load: PageLoader = async (request, plan, deadlineAt) => {
    if (plan.engine !== 'browser') return loadPlain(request, plan, deadlineAt);
    try {
      return await loadInBrowser(request, plan, deadlineAt);
    } catch (error) {
      // A browser shows a PDF, or saves it, and gives no page.
      if (request.readsPdf !== true || !(error instanceof PdfRefusedError)) throw error;
      return loadPlain(request, plan, deadlineAt);
    }
  };

  return async (request, plan, deadlineAt) =>
    requireContent(await load(request, plan, deadlineAt), request.allowStatuses);
}
