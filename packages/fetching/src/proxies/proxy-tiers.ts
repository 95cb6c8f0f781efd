import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError, PROXY_TIERS, type ProxyTier } from '@gleaner/contracts';
import { parseProxyTemplate, type ProxyTemplate } from './proxy-template.ts';
import type { GuardProxy, ProxyRoute } from '../egress/guard-proxy.ts';
import type { FetchMetrics } from '../fetch-types.ts';
import { createProxyRests, type ProxyRests } from './proxy-rests.ts';

/** One visitor from the target's view: a proxy and a session at it, kept for a host while both work. */
export interface ProxySession {
  /** Unique. Cookies and fingerprints are stored by it. */
  readonly id: string;
  readonly route: ProxyRoute;
  /** The target answered, so the proxy works. */
  markGood(): void;
  /** The proxy failed: ends the session and counts the failure against the proxy. */
  markBad(): void;
  /** The target blocked this visitor: ends the session without blaming the proxy. */
  retire(): void;
  /** Call once for each `take` when the fetch is over. An ended session's route closes with its last fetch. */
  release(): void;
}

export interface ProxyChoice {
  tier: ProxyTier;
  /** From `premium:<cc>`: only proxies with `{country}` qualify. */
  requiredCountry: string | undefined;
  /** From `country`: used where the proxy has `{country}`. */
  preferredCountry: string | undefined;
  /** Requests with the same group (account and host) share sessions. */
  group: string;
}

export type ProxyTiers = ReturnType<typeof createProxyTiers>;

export interface ProxyTiersOptions {
  proxies: Partial<Record<ProxyTier, readonly string[]>>;
  guardProxy: GuardProxy;
  metrics?: FetchMetrics;
  now?: () => number;
}

function settingOf(tier: ProxyTier): string {
  return `GLEANER_PROXY_${tier.toUpperCase()}`;
}

function unconfigured(tier: ProxyTier, detail: string): AppError {
  return new AppError('temporarily_unavailable', {
    field: 'proxy',
    detail,
    hint: `The operator sets ${settingOf(tier)} to a list of proxy URLs.`,
    retryable: false,
    retryAfterSeconds: 60,
  });
}

/** Concurrent sessions of one account and host: enough to spread a batch, few enough to resemble visitors. */
const SESSIONS_PER_GROUP = 8;
const MAX_SESSIONS = 1_000;
const SESSION_MAX_AGE_MS = 600_000;

interface Tier {
  templates: readonly ProxyTemplate[];
  rests: ProxyRests;
}

interface OpenSession extends ProxySession {
  readonly proxyIndex: number;
  readonly tier: Tier;
  readonly openedAt: number;
  isOver(): boolean;
  /** Counts one more fetch over this session. */
  acquire(): void;
}

function readTiers(proxies: ProxyTiersOptions['proxies'], now: () => number): Map<ProxyTier, Tier> {
  const tiers = new Map<ProxyTier, Tier>();
  for (const name of PROXY_TIERS) {
    const templates = (proxies[name] ?? []).map((text) => parseProxyTemplate(text, settingOf(name)));
    if (templates.length > 0) tiers.set(name, { templates, rests: createProxyRests(templates.length, now) });
  }
  return tiers;
}

/** The tier's next proxy that can do what the request requires. @throws AppError temporarily_unavailable */
function chooseProxy(
  { templates, rests }: Tier,
  { tier: name, requiredCountry }: ProxyChoice,
): { proxyIndex: number; template: ProxyTemplate } {
  const proxyIndex = rests.next(
    (index) => requiredCountry === undefined || templates[index]?.hasCountry === true,
  );
  const template = proxyIndex === undefined ? undefined : templates[proxyIndex];
  if (proxyIndex !== undefined && template !== undefined) return { proxyIndex, template };
  throw unconfigured(
    name,
    `no proxy of the tier ${name} can choose a country: ${settingOf(name)} has no {country}`,
  );
}

function countryOf({ requiredCountry, preferredCountry }: ProxyChoice): string {
  return requiredCountry ?? preferredCountry ?? '';
}

/** Opens a session over the tier's next proxy. @throws AppError temporarily_unavailable */
function openSession(
  tier: Tier,
  choice: ProxyChoice,
  { guardProxy, metrics, now = Date.now }: ProxyTiersOptions,
): OpenSession {
  const { proxyIndex, template } = chooseProxy(tier, choice);
  const id = randomBytes(6).toString('hex');
  const upstreamProxyUrl = template.fill(countryOf(choice).toLowerCase(), id);
  const route = guardProxy.openRoute({ upstreamProxyUrl });
  const count = (isGood: boolean): void =>
    metrics?.proxyOutcome?.({ tier: choice.tier, proxy: template.label, isGood });
  let isOver = false;
  let inUse = 0;
  const retire = (): void => {
    if (isOver) return;
    isOver = true;
    if (inUse === 0) route.close();
  };
  return {
    id,
    route,
    tier,
    proxyIndex,
    openedAt: now(),
    isOver: () => isOver,
    acquire: () => {
      inUse += 1;
    },
    markGood: () => {
      tier.rests.markGood(proxyIndex);
      count(true);
    },
    markBad: () => {
      tier.rests.markBad(proxyIndex);
      count(false);
      retire();
    },
    retire,
    release: () => {
      inUse -= 1;
      if (isOver && inUse === 0) route.close();
    },
  };
}

/** Whether the session's proxy rests while another one does not. */
function hasBetterProxy({ tier: { rests, templates }, proxyIndex }: OpenSession): boolean {
  return rests.isResting(proxyIndex) && rests.resting() < templates.length;
}

/** The proxies of all tiers, which of them rest, and the sessions over them. */
export function createProxyTiers(options: ProxyTiersOptions) {
  const { proxies, now = Date.now } = options;
  const tiers = readTiers(proxies, now);
  const sessions = new LRUCache<string, OpenSession>({
    max: MAX_SESSIONS,
    dispose: (session) => session.retire(),
  });
  let sequence = 0;

  const isUsable = (session: OpenSession): boolean =>
    !session.isOver() && now() - session.openedAt < SESSION_MAX_AGE_MS && !hasBetterProxy(session);

  /** What requests of one visitor have in common. */
  const visitorOf = (choice: ProxyChoice): string => {
    sequence += 1;
    return [choice.tier, countryOf(choice), choice.group, sequence % SESSIONS_PER_GROUP].join('\n');
  };

  return {
    /** `undefined`: this tier connects directly. Throws `temporarily_unavailable`, naming the missing setting. */
    take: (choice: ProxyChoice): ProxySession | undefined => {
      const { tier: name } = choice;
      const tier = tiers.get(name);
      if (tier === undefined) {
        if (name === 'default') return undefined;
        throw unconfigured(name, `the proxy tier ${name} is not configured: ${settingOf(name)} is not set`);
      }
      const visitor = visitorOf(choice);
      const known = sessions.get(visitor);
      const session = known !== undefined && isUsable(known) ? known : openSession(tier, choice, options);
      session.acquire();
      if (session !== known) sessions.set(visitor, session);
      return session;
    },
    stats: (): Record<string, { proxies: number; resting: number }> =>
      Object.fromEntries(
        [...tiers].map(([name, { templates, rests }]) => [
          name,
          { proxies: templates.length, resting: rests.resting() },
        ]),
      ),
    close: (): void => sessions.clear(),
  };
}
