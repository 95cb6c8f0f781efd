import type { Config, ProxyConfig } from '../../platform/config/load-config.ts';
import type { Services } from '../../platform/context.ts';

/** The services that read what a run scrapes: its parser or API, its configuration and its price. */
export interface TargetServices extends Pick<Services, 'db'> {
  config: Pick<Config, 'prices' | 'sites'> & ProxyConfig & Partial<Pick<Config, 'secretKey'>>;
}
