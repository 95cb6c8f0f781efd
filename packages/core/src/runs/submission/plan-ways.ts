import {
  DEFAULT_PRICES,
  fileFacts,
  waysOf,
  type ParserSchema,
  type ScrapeConfig,
  type Way,
} from '@gleaner/contracts';
import { proxiesByTier, type Config, type ProxyConfig } from '../../platform/config/load-config.ts';
import { invalid } from '../../platform/invalid-request.ts';
import { requireBrowserFits } from '../tasks/require-browser.ts';
import { requireProxyTier } from './require-proxy-tier.ts';

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
