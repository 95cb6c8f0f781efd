import type { ProxyTier, ScrapeConfig } from './scrape-config.ts';

/** Credits for one page by tier: `[without browser, with browser]`. The hardcore tier is always a browser. */
export type PriceTable = Readonly<Record<ProxyTier, readonly [plain: number, browser: number]>>;

export const DEFAULT_PRICES: PriceTable = {
  default: [1, 5],
  highquality: [10, 25],
  premium: [10, 25],
  hardcore: [80, 80],
};

/** The tier named by `proxy`, and the country when it is written `premium:<cc>`. */
export const readProxy = (proxy: string | undefined): { tier: ProxyTier; country: string | undefined } => {
  const [tier = 'default', country] = (proxy ?? 'default').split(':');
  return { tier: tier as ProxyTier, country: country?.toLowerCase() };
};

export const usesBrowser = (config: ScrapeConfig): boolean =>
  config.useBrowser === true || readProxy(config.proxy).tier === 'hardcore';

/** Credits that one successful page costs under this configuration. */
export const priceOf = (config: ScrapeConfig, prices: PriceTable = DEFAULT_PRICES): number =>
  prices[readProxy(config.proxy).tier][usesBrowser(config) ? 1 : 0];
