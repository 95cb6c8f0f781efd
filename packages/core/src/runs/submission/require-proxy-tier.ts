import { AppError, readProxy, type ProxyTier, type ScrapeConfig } from '@gleaner/contracts';
import type { Config } from '../../platform/config/load-config.ts';

export type ProxyConfig = Pick<Config, 'proxyHighquality' | 'proxyPremium' | 'proxyHardcore'>;

function templatesOf(config: ProxyConfig, tier: ProxyTier): readonly string[] | undefined {
  switch (tier) {
    case 'default':
      return undefined;
    case 'highquality':
      return config.proxyHighquality;
    case 'premium':
      return config.proxyPremium;
    case 'hardcore':
      return config.proxyHardcore;
  }
}

/**
 * Refuses work on a proxy tier that the operator has not configured, before it is accepted or priced.
 * @throws AppError temporarily_unavailable that names the setting
 */
export function requireProxyTier(config: ProxyConfig, { proxy }: ScrapeConfig): void {
  const { tier, country } = readProxy(proxy);
  const templates = templatesOf(config, tier);
  if (templates === undefined) return;
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
