import {
  DEFAULT_PRICES,
  fileFacts,
  waysOf,
  type ParserSchema,
  type ScrapeConfig,
  type Way,
  AppError,
  readProxy,
  usesBrowser,
} from '@gleaner/contracts';
import { proxiesByTier, type Config, type ProxyConfig } from '../../platform/config/load-config.ts';
import { invalid } from '../../platform/invalid-request.ts';

/** Merges configurations field by field; the more specific one wins. */
export function mergeScrapeConfig(...layers: readonly (ScrapeConfig | undefined)[]): ScrapeConfig {
  const merged: Record<string, unknown> = {};
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer ?? {})) {
      if (value !== undefined) merged[name] = value;
    }
  }
  return merged;
}

/**
 * Checks that a page can be fetched with a merged configuration.
 * @param prefix of the field that an error names: `scrape_config.` or nothing
 * @throws AppError invalid_request: actions without a browser, a POST in a browser
 */
function requireBrowserFits(
  config: ScrapeConfig,
  { method = 'GET', prefix = 'scrape_config.' }: { method?: 'GET' | 'POST'; prefix?: string } = {},
): void {
  const isBrowser = usesBrowser(config);
  if (config.actions !== undefined && !isBrowser) {
    throw new AppError('invalid_request', {
      field: `${prefix}actions`,
      detail: 'need useBrowser: true',
    });
  }
  if (method === 'POST' && isBrowser) {
    throw new AppError('invalid_request', {
      field: 'method',
      detail: 'must be GET: the parser’s scrape_config or the proxy tier uses a browser',
    });
  }
}

/**
 * Refuses work on a proxy tier that the operator has not configured, before it is accepted or priced.
 * @throws AppError temporarily_unavailable that names the setting
 */
function requireProxyTier(config: ProxyConfig, { proxy }: ScrapeConfig): void {
  const { tier, country } = readProxy(proxy);
  // The default tier connects directly when it has no proxies.
  if (tier === 'default') return;
  const templates = proxiesByTier(config)[tier];
  const setting = `GLEANER_PROXY_${tier.toUpperCase()}`;
  const lacksCountry = country !== undefined && !templates.some((template) => template.includes('{country}'));
  if (templates.length > 0 && !lacksCountry) return;
  throw new AppError('temporarily_unavailable', {
    field: 'proxy',
    detail:
      templates.length === 0
        ? `the proxy tier ${tier} is not configured: ${setting} is not set`
        : `no proxy of the tier ${tier} can choose a country: ${setting} has no {country}`,
    hint: 'Use another tier, or ask the operator to configure this one.',
    retryable: false,
  });
}

/** How a page is asked for, and what reads it. */
export interface Asked {
  method?: 'GET' | 'POST' | undefined;
  /** What the field that an error names begins with: `scrape_config.` or nothing. */
  prefix?: string;
  /** What reads the page, when one parser does. */
  schema?: ParserSchema | undefined;
}

/** @throws AppError invalid_request: a page that changes something, or is drawn, is read by one way */
function requireClimbable(
  { escalate, maxPrice, actions }: ScrapeConfig,
  ways: readonly [Way, ...Way[]],
  { method, prefix = 'scrape_config.', schema }: Asked,
): void {
  if (maxPrice !== undefined && escalate === undefined)
    throw invalid(`${prefix}maxPrice`, 'bounds what escalate may cost, which is not set');
  if (maxPrice !== undefined && maxPrice < ways[0].price)
    throw invalid(`${prefix}maxPrice`, `is less than the ${ways[0].price} credits of the first way`);
  if (escalate === undefined) return;
  const field = `${prefix}escalate`;
  if (actions !== undefined)
    throw invalid(field, 'does not go with actions, which need a browser from the start');
  if (method === 'POST') throw invalid(field, 'does not go with POST, which is sent once');
  if (schema !== undefined && fileFacts(schema).length > 0)
    throw invalid(field, 'does not go with a screenshot or a PDF, which need a browser from the start');
  if (ways.length > 1) return;
  throw invalid(
    field,
    maxPrice === undefined
      ? 'has no dearer way from where it begins'
      : `has no dearer way within ${maxPrice} credits`,
    'A browser is dearer than plain HTTP, and a proxy tier that the operator has configured dearer than none.',
  );
}

/**
 * The ways by which a page may be read with a merged configuration, the cheapest first; several with `escalate`.
 * @throws AppError invalid_request: the configuration contradicts itself; temporarily_unavailable: as requireProxyTier
 */
export function planWays(
  config: ProxyConfig & Pick<Config, 'prices'>,
  scrape: ScrapeConfig,
  asked: Asked = {},
): [Way, ...Way[]] {
  const { method = 'GET', prefix = 'scrape_config.' } = asked;
  requireBrowserFits(scrape, { method, prefix });
  requireProxyTier(config, scrape);
  const proxies = proxiesByTier(config);
  const ways = waysOf(scrape, { ...DEFAULT_PRICES, ...config.prices }, (tier) => proxies[tier].length > 0);
  requireClimbable(scrape, ways, asked);
  return ways;
}

/** Credits of the dearest way. */
export function dearestOf(ways: readonly [Way, ...Way[]]): number {
  return (ways.at(-1) ?? ways[0]).price;
}
