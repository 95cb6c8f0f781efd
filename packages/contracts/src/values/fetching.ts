/** The longest URL that is fetched. */
export const MAX_URL_LENGTH = 8_192;

/** The client that fetches a page: plain HTTP or a browser. A worker process serves one or both. */
export const ENGINES = ['http', 'browser'] as const;
export type Engine = (typeof ENGINES)[number];

/** Proxy tiers without a country; `premium:<cc>` is written with one. */
export const PROXY_TIERS = ['default', 'highquality', 'hardcore', 'premium'] as const;
export type ProxyTier = (typeof PROXY_TIERS)[number];

/** Which dearer ways a page may take that a cheaper one doesn't give. */
export const ESCALATIONS = ['browser', 'proxy', 'both'] as const;
export type Escalation = (typeof ESCALATIONS)[number];

/** Steps in a browser after loading, by their key. */
export const ACTION_KINDS = ['click', 'type', 'press', 'select', 'scroll', 'wait'] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

export const SCREENSHOT_TYPES = ['png', 'jpeg'] as const;
