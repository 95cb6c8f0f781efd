import type { ProxyTier } from '@gleaner/contracts/values';

/** The tiers of proxies as people read them. */
export const PROXY_WORDS = {
  default: 'Default',
  highquality: 'High quality',
  premium: 'Premium',
  hardcore: 'Hardcore (always a browser)',
} satisfies Record<ProxyTier, string>;
