import type { ProxyTier, ScrapeConfig } from '@gleaner/contracts';
import type { EgressAllow, ResolveHost } from './egress/index.ts';
import type { BrowserSettings } from './browser/browser-types.ts';

/** Which client did the work. */
export type FetchEngine = 'http' | 'impit' | 'browser';

export interface FetchSettings {
  /** From `parseEgressAllow`. */
  egressAllow: EgressAllow;
  /** Proxy URLs by tier; `{country}` and `{session}` in them are filled in. Empty or absent: none configured. */
  proxies?: Partial<Record<ProxyTier, readonly string[]>>;
  userAgent?: string;
  /** The name under which robots.txt is read. Default `Gleaner`. */
  robotsProduct?: string;
  browser?: BrowserSettings;
  /** Most bytes of one answer as sent. Default 16 MB. */
  maxWireBytes?: number;
  /** Most bytes of one answer after decompression. Default 16 MB. */
  maxDecodedBytes?: number;
  /** Name, TCP and TLS together. Default 10 s. */
  connectTimeoutMs?: number;
  /** Silence of the target before or within an answer. Default 30 s. */
  idleTimeoutMs?: number;
  /** Connections kept to one origin. Default 128. */
  connectionsPerOrigin?: number;
  /** Origins whose connections are kept. Default 1,000. */
  maxOrigins?: number;
  /** Most requests that run at once against one host, over all workers. Default: no limit. */
  hostConcurrency?: number;
  /** Most requests a second to one host, over all workers. Default: no limit. */
  hostRequestsPerSecond?: number;
  /** Replaces the system's resolver (tests, split-horizon DNS). */
  resolve?: ResolveHost;
  /** When new work is refused for want of memory. */
  memory?: { closeAt?: number; openAt?: number };
  /** PEM of a certificate authority to trust beside the usual ones. */
  certificateAuthority?: string;
}

export interface FetchRequest {
  url: string;
  method?: 'GET' | 'POST';
  body?: string | Uint8Array;
  config: ScrapeConfig;
  /** Milliseconds since the epoch: nothing goes on after it. */
  deadlineAt: number;
  signal: AbortSignal;
  /** Requests with the same key share cookies and, where there are proxies, the proxy. */
  sessionKey?: string;
  accountId: string;
  /** `none`: one attempt, whatever `config.retries` says; the error tells whether and when another may help. */
  attempts?: 'config' | 'none';
  /** It comes again by itself when its host has no turn, so it waits for short pauses alone. */
  isRequeuedWhenBusy?: boolean;
  /**
   * Error statuses that are pages all the same. `any`: whatever comes is handed back, block pages too (a prebuilt
   * site reads "not found" from a 404 and knows its own walls); a server's error only after the last attempt.
   */
  allowStatuses?: readonly number[] | 'any';
}

export interface RawRequest {
  url: string;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  deadlineAt: number;
  signal?: AbortSignal;
  /** Default true. Webhooks don't follow: a redirect is a failed delivery. */
  followRedirects?: boolean;
  /** Default: the fetcher's `maxDecodedBytes`; what is beyond is cut off, not an error. */
  maxBytes?: number;
  /** A body that can't be decoded is left out, not an error: the status is what counts. */
  isBodyOptional?: boolean;
}

export interface FetchTimings {
  startedAt: number;
  totalMs: number;
  /** Time spent waiting for the host's turn and between attempts. */
  waitedMs: number;
}

export interface RawResponse {
  url: string;
  finalUrl: string;
  status: number;
  contentType: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  timings: FetchTimings;
}

export interface FetchedPage extends RawResponse {
  /** ISO 8601 time at which the answer was complete. */
  fetchedAt: string;
  attempts: number;
  engine: FetchEngine;
}

/** The part of a pino logger that is used here. */
export interface FetchLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Counters that the worker exports. `outcome` is `ok` or an error code. */
export interface FetchMetrics {
  fetched?(event: {
    engine: FetchEngine;
    tier: ProxyTier;
    outcome: string;
    status: number;
    totalMs: number;
  }): void;
  proxyOutcome?(event: { tier: ProxyTier; proxy: string; isGood: boolean }): void;
}
