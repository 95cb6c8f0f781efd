import type { ProxyTier } from './fetching.ts';

/** Credits for one page by tier: `[without browser, with browser]`. The hardcore tier always uses a browser. */
export type PriceTable = Readonly<Record<ProxyTier, readonly [plain: number, browser: number]>>;

export const DEFAULT_PRICES: PriceTable = {
  default: [1, 5],
  highquality: [10, 25],
  premium: [10, 25],
  hardcore: [80, 80],
};

/** The tier in `proxy`, and the country of `premium:<cc>`. */
export function readProxy(proxy: string | undefined): { tier: ProxyTier; country: string | undefined } {
  const [tier = 'default', country] = (proxy ?? 'default').split(':');
  return { tier: tier as ProxyTier, country: country?.toLowerCase() };
}

/** What the price of a page depends on. */
interface Priced {
  useBrowser?: boolean | undefined;
  proxy?: string | undefined;
}

export function usesBrowser(config: Priced): boolean {
  return config.useBrowser === true || readProxy(config.proxy).tier === 'hardcore';
}

/**
 * What to do about a page that looks as if scripts fill it.
 * @returns undefined when a browser read the page already
 */
export function browserHint(config: Priced = {}, prices: PriceTable = DEFAULT_PRICES): string | undefined {
  if (usesBrowser(config)) return undefined;
  const price = priceOf({ ...config, useBrowser: true }, prices);
  return `The page looks as if scripts fill it. Read it in a browser: useBrowser true, for ${price} credits a page.`;
}

/** Price in credits of one successful page with this configuration. */
export function priceOf(config: Priced, prices: PriceTable = DEFAULT_PRICES): number {
  return prices[readProxy(config.proxy).tier][usesBrowser(config) ? 1 : 0];
}
