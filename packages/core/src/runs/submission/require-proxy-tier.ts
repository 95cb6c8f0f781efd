import { AppError, readProxy, type ScrapeConfig } from '@gleaner/contracts';
import { proxiesByTier, type ProxyConfig } from '../../platform/config/load-config.ts';

/**
 * Refuses work on a proxy tier that the operator has not configured, before it is accepted or priced.
 * @throws AppError temporarily_unavailable that names the setting
 */
export function requireProxyTier(config: ProxyConfig, { proxy }: ScrapeConfig): void {
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
