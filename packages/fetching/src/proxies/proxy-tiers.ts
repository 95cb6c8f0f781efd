import { randomBytes } from 'node:crypto';
import { AppError, PROXY_TIERS, type ProxyTier } from '@gleaner/contracts';
import { parseProxyTemplate, type ProxyTemplate } from './proxy-template.ts';
import type { GuardProxy, ProxyRoute } from '../egress/guard-proxy.ts';
import type { FetchMetrics } from '../fetch-types.ts';
import { createProxyHealth, type ProxyHealth } from './proxy-health.ts';

/** Who a target sees: one proxy with one session, kept for a host as long as both work. */
export interface ProxySession {
  /** Unique; cookies and fingerprints hang on it. */
  readonly id: string;
  readonly route: ProxyRoute;
  /** The answer came from the target: the proxy works. */
  markGood(): void;
  /** The proxy failed: this session ends, and the proxy rests after some failures. */
  markBad(): void;
  /** The target refused this visitor: the session ends, the proxy is not to blame. */
  retire(): void;
  /** Call once for each `take`, when the fetch is over: an ended session's route closes with its last fetch. */
  release(): void;
}

export interface ProxyChoice {
  tier: ProxyTier;
  /** From `premium:<cc>`: only proxies that can choose it will do. */
  requiredCountry: string | undefined;
  /** From `country`: taken where it can be chosen. */
  preferredCountry: string | undefined;
  /** What shares sessions: an account and a host. */
  group: string;
  /** Always the same session for the same key. */
  sessionKey: string | undefined;
}

export interface ProxyTiers {
  /** `undefined`: this tier goes out directly. Throws `temporarily_unavailable`, naming the setting. */
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

/** Sessions side by side for one account and host: enough to spread a batch, few enough to look like visitors. */
const SESSIONS_PER_GROUP = 8;
const MAX_SESSIONS = 1_000;
const SESSION_MAX_AGE_MS = 600_000;

interface Tier {
  templates: readonly ProxyTemplate[];
  health: ProxyHealth;
}

interface OpenSession extends ProxySession {
  proxyIndex: number;
  tier: Tier;
  openedAt: number;
  isOver: boolean;
  inUse: number;
  end(): void;
}

/** The proxies of all tiers with their health, and the sessions that run over them. */
export function createProxyTiers({
  proxies,
  guardProxy,
  metrics,
  now = Date.now,
}: ProxyTiersOptions): ProxyTiers {
  const tiers = new Map<ProxyTier, Tier>();
  for (const name of PROXY_TIERS) {
    const templates = (proxies[name] ?? []).map((text) => parseProxyTemplate(text, settingOf(name)));
    if (templates.length > 0)
      tiers.set(name, { templates, health: createProxyHealth(templates.length, now) });
  }
  /** In the order of use, so that the first is the one used longest ago. */
  const sessions = new Map<string, OpenSession>();
  let turn = 0;

  const open = (slot: string, name: ProxyTier, tier: Tier, choice: ProxyChoice): OpenSession => {
    const mustChoose = choice.requiredCountry !== undefined;
    const index = tier.health.next(
      (candidate) => !mustChoose || tier.templates[candidate]?.hasCountry === true,
    );
    const template = index === undefined ? undefined : tier.templates[index];
    if (index === undefined || template === undefined) {
      throw unconfigured(
        name,
        `no proxy of the tier ${name} can choose a country: ${settingOf(name)} has no {country}`,
      );
    }
    const id = randomBytes(6).toString('hex');
    const country = (choice.requiredCountry ?? choice.preferredCountry ?? '').toLowerCase();
    const route = guardProxy.openRoute({ upstreamProxyUrl: template.fill(country, id) });
    const session: OpenSession = {
      id,
      route,
      tier,
      proxyIndex: index,
      openedAt: now(),
      isOver: false,
      inUse: 0,
      markGood: () => {
        tier.health.markGood(index);
        metrics?.proxyOutcome?.({ tier: name, proxy: template.label, isGood: true });
      },
      markBad: () => {
        tier.health.markBad(index);
        metrics?.proxyOutcome?.({ tier: name, proxy: template.label, isGood: false });
        session.end();
      },
      retire: () => session.end(),
      release: () => {
        session.inUse -= 1;
        if (session.isOver && session.inUse === 0) route.close();
      },
      end: () => {
        if (session.isOver) return;
        session.isOver = true;
        if (sessions.get(slot) === session) sessions.delete(slot);
        if (session.inUse === 0) route.close();
      },
    };
    return session;
  };

  /** Where all proxies rest, a new session would have no better one. */
  const hasBetterProxy = ({ tier: { health, templates }, proxyIndex }: OpenSession): boolean =>
    health.isResting(proxyIndex) && health.resting() < templates.length;

  const isUsable = (session: OpenSession): boolean =>
    !session.isOver && now() - session.openedAt < SESSION_MAX_AGE_MS && !hasBetterProxy(session);

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
      turn += 1;
      const place = choice.sessionKey ?? String(turn % SESSIONS_PER_GROUP);
      const country = choice.requiredCountry ?? choice.preferredCountry ?? '';
      const slot = [
        choice.tier,
        country,
        choice.group,
        choice.sessionKey === undefined ? 'turn' : 'key',
        place,
      ].join('\n');
      const known = sessions.get(slot);
      if (known !== undefined && !isUsable(known)) known.end();
      const session = known !== undefined && !known.isOver ? known : open(slot, choice.tier, tier, choice);
      session.inUse += 1;
      sessions.delete(slot);
      sessions.set(slot, session);
      if (sessions.size > MAX_SESSIONS) sessions.values().next().value?.end();
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
      for (const session of sessions.values()) session.end();
    },
  };
}
