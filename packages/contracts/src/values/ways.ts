import type { Escalation, ProxyTier } from './fetching.ts';
import { DEFAULT_PRICES, priceOf, readProxy, usesBrowser, type PriceTable } from './pricing.ts';

/** How one page is read, and what it costs. */
export interface Way {
  useBrowser: boolean;
  /** Absent: the default tier. */
  proxy?: string | undefined;
  /** Credits. */
  price: number;
}

interface Climbing {
  useBrowser?: boolean | undefined;
  proxy?: string | undefined;
  escalate?: Escalation | undefined;
  maxPrice?: number | undefined;
}

/** Proxy tiers that a page may climb to; of equal prices the first. */
const HIGHER_TIERS: readonly ProxyTier[] = ['highquality', 'premium'];

/**
 * The ways by which a page may be read, each dearer than the one before; the first is where it begins.
 * @param hasTier whether the operator has proxies of a tier: one without is no way
 */
export function waysOf(
  config: Climbing,
  prices: PriceTable = DEFAULT_PRICES,
  hasTier: (tier: ProxyTier) => boolean = () => true,
): [Way, ...Way[]] {
  const { proxy, escalate, maxPrice = Infinity } = config;
  const toWay = (useBrowser: boolean, tier: string | undefined): Way => ({
    useBrowser,
    proxy: tier,
    price: priceOf({ useBrowser, proxy: tier }, prices),
  });
  const first = toWay(usesBrowser(config), proxy);
  const engines = escalate === 'proxy' || first.useBrowser ? [first.useBrowser] : [false, true];
  const tiers = escalate === 'browser' ? [] : HIGHER_TIERS.filter(hasTier);
  const known =
    escalate === undefined
      ? []
      : [proxy, ...tiers].flatMap((tier) => engines.map((engine) => toWay(engine, tier)));
  const ways: [Way, ...Way[]] = [first];
  for (const way of known.toSorted((one, other) => one.price - other.price))
    if (way.price > (ways.at(-1)?.price ?? 0) && way.price <= maxPrice) ways.push(way);
  return ways;
}

/** `http`, `browser`, `http:highquality`, … */
export function wayName({ useBrowser, proxy }: Pick<Way, 'useBrowser' | 'proxy'>): string {
  const engine = useBrowser ? 'browser' : 'http';
  const { tier } = readProxy(proxy);
  return tier === 'default' ? engine : `${engine}:${tier}`;
}

/** Why a page needs a dearer way: the target refuses the client, or scripts fill the page. */
export type ClimbReason = 'blocked' | 'scripted';

/** The next way for a page, as an index of its ways. A page that scripts fill needs a browser. */
export function nextWay(ways: readonly Way[], at: number, reason: ClimbReason): number | undefined {
  if (reason === 'scripted' && ways[at]?.useBrowser === true) return undefined;
  const next = ways.findIndex((way, place) => place > at && (reason === 'blocked' || way.useBrowser));
  return next < 0 ? undefined : next;
}
