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
  /** Requests with the same key get the same session. */
  sessionKey: string | undefined;
}

export interface ProxyTiers {
  /** `undefined`: this tier connects directly. Throws `temporarily_unavailable`, naming the missing setting. */
  take(choice: ProxyChoice): ProxySession | undefined;
  /** Whether the tier has proxies. */
  isConfigured(tier: ProxyTier): boolean;
  stats(): Record<string, { proxies: number; resting: number }>;
  close(): void;
}

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
  health: ProxyRests;
}

interface OpenSession extends ProxySession {
  readonly proxyIndex: number;
  readonly tier: Tier;
  readonly openedAt: number;
  isOver(): boolean;
  /** Counts one more fetch over this session. */
  acquire(): void;
}

interface SessionParts {
  id: string;
  route: ProxyRoute;
  tier: Tier;
  proxyIndex: number;
  openedAt: number;
  onOutcome(isGood: boolean): void;
}

function openSession({ id, route, tier, proxyIndex, openedAt, onOutcome }: SessionParts): OpenSession {
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
    openedAt,
    isOver: () => isOver,
    acquire: () => {
      inUse += 1;
    },
    markGood: () => {
      tier.health.markGood(proxyIndex);
      onOutcome(true);
    },
    markBad: () => {
      tier.health.markBad(proxyIndex);
      onOutcome(false);
      retire();
    },
    retire,
    release: () => {
      inUse -= 1;
      if (isOver && inUse === 0) route.close();
    },
  };
}

/** The proxies of all tiers, their health, and the sessions over them. */
export function createProxyTiers({
  proxies,
  guardProxy,
  metrics,
  now = Date.now,
}: ProxyTiersOptions): ProxyTiers {
  const tiers = new Map<ProxyTier, Tier>();
  for (const name of PROXY_TIERS) {
    const templates = (proxies[name] ?? []).map((text) => parseProxyTemplate(text, settingOf(name)));
    if (templates.length > 0) tiers.set(name, { templates, health: createProxyRests(templates.length, now) });
  }
  const sessions = new LRUCache<string, OpenSession>({
    max: MAX_SESSIONS,
    dispose: (session) => session.retire(),
  });
  let sequence = 0;

  const open = (name: ProxyTier, tier: Tier, choice: ProxyChoice): OpenSession => {
    const mustChoose = choice.requiredCountry !== undefined;
    const proxyIndex = tier.health.next(
      (candidate) => !mustChoose || tier.templates[candidate]?.hasCountry === true,
    );
    const template = proxyIndex === undefined ? undefined : tier.templates[proxyIndex];
    if (proxyIndex === undefined || template === undefined) {
      throw unconfigured(
        name,
        `no proxy of the tier ${name} can choose a country: ${settingOf(name)} has no {country}`,
      );
    }
    const id = randomBytes(6).toString('hex');
    const country = (choice.requiredCountry ?? choice.preferredCountry ?? '').toLowerCase();
    const route = guardProxy.openRoute({ upstreamProxyUrl: template.fill(country, id) });
    return openSession({
      id,
      route,
      tier,
      proxyIndex,
      openedAt: now(),
      onOutcome: (isGood) => metrics?.proxyOutcome?.({ tier: name, proxy: template.label, isGood }),
    });
  };

  /** Whether the session's proxy rests while another one does not. */
  const hasBetterProxy = ({ tier: { health, templates }, proxyIndex }: OpenSession): boolean =>
    health.isResting(proxyIndex) && health.resting() < templates.length;

  const isUsable = (session: OpenSession): boolean =>
    !session.isOver() && now() - session.openedAt < SESSION_MAX_AGE_MS && !hasBetterProxy(session);

  return {
    isConfigured: (tier) => tiers.has(tier),
    take: (choice) => {
      const tier = tiers.get(choice.tier);
      if (tier === undefined) {
        if (choice.tier === 'default') return undefined;
        throw unconfigured(
          choice.tier,
          `the proxy tier ${choice.tier} is not configured: ${settingOf(choice.tier)} is not set`,
        );
      }
      sequence += 1;
      const slot = [
        choice.tier,
        choice.requiredCountry ?? choice.preferredCountry ?? '',
        choice.group,
        choice.sessionKey === undefined ? 'shared' : 'key',
        choice.sessionKey ?? String(sequence % SESSIONS_PER_GROUP),
      ].join('\n');
      const known = sessions.get(slot);
      if (known !== undefined && isUsable(known)) {
        known.acquire();
        return known;
      }
      const session = open(choice.tier, tier, choice);
      session.acquire();
      sessions.set(slot, session);
      return session;
    },
    stats: () =>
      Object.fromEntries(
        [...tiers].map(([name, { templates, health }]) => [
          name,
          { proxies: templates.length, resting: health.resting() },
        ]),
      ),
    close: () => {
      sessions.clear();
    },
  };
}
