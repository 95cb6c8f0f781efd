import type { FileFact, ProxyTier, Redirected, ScrapeConfig } from '@gleaner/contracts';
import type { RobotsRule } from '@gleaner/contracts/values';
import type { EgressAllow, ResolveHost } from './egress/index.ts';
import type { BrowserSettings } from './browser/browser-types.ts';
import type { CapturedResponse, PageFile } from './http/http-engine.ts';
import type { PhaseClock } from './phase-clock.ts';
import type { OwnPace } from './politeness/host-wait.ts';

/** The client that made the request. */
export type FetchEngine = 'http' | 'impit' | 'browser';

/** How crawls introduce themselves to sites. */
export interface BotSettings {
  /** Its name in robots.txt and in the User-Agent. */
  name: string;
  /** Where people read who crawls. */
  page?: string;
}

/** What a site says to crawlers about a page that was fetched. */
export interface RobotsNotes {
  /** `X-Robots-Tag`: not to be listed; its links are not to be followed. Tags in the document are its reader's. */
  noindex: boolean;
  nofollow: boolean;
  /** With `warn`: why robots.txt would have kept the page from being fetched. */
  warning?: string;
}

export interface FetchSettings {
  /** From `parseEgressAllow`. */
  egressAllow: EgressAllow;
  /** Proxy URLs by tier; `{country}` and `{session}` in them are filled in. Empty or absent: none configured. */
  proxies?: Partial<Record<ProxyTier, readonly string[]>>;
  /** How crawls introduce themselves. */
  bot?: BotSettings;
  browser?: BrowserSettings;
  /** Size limit of one response as sent. Default 16 MB. */
  maxWireBytes?: number;
  /** Size limit of one response after decompression. Default 16 MB. */
  maxDecodedBytes?: number;
  /** Limit on DNS, TCP and TLS together. Default 10 s. */
  connectTimeoutMs?: number;
  /** Replaces the system's resolver (tests, split-horizon DNS). */
  resolve?: ResolveHost;
  /** PEM of a further certificate authority to trust. */
  certificateAuthority?: string;
}

export interface FetchRequest {
  url: string;
  method?: 'GET' | 'POST';
  body?: string | Uint8Array;
  config: ScrapeConfig;
  /** Milliseconds since the epoch. The fetch ends by then. */
  deadlineAt: number;
  signal: AbortSignal;
  accountId: string;
  /** `none`: one attempt regardless of `config.retries`; the error says whether and when a retry may help. */
  attempts?: 'config' | 'none';
  /** The caller queues the task again when its host is busy, so the fetch only waits for short pauses. */
  isRequeuedWhenBusy?: boolean;
  /** Whether a redirect whose host is busy fails with `RedirectBusyError`: the caller then goes on there. Default: it waits there. */
  goesOnLater?: boolean;
  /** Where it goes on. `url` stays the page's own address. */
  redirected?: Redirected | undefined;
  /**
   * Error statuses to return as pages. `any` returns every response, block pages too: the extractor of a prebuilt
   * site reads "not found" from a 404 and recognises the site's blocks. Server errors are still retried first.
   */
  allowStatuses?: readonly number[] | 'any';
  /**
   * Asked before a redirect to another address is followed, in a browser also for what a script or a refresh opens.
   * Default: all are followed. Where it says no, the fetch fails with `RedirectRefusedError`.
   */
  mayFollow?: (url: URL) => boolean;
  /**
   * The fetch is a crawler's: it sends the bot's User-Agent (unless `config.headers` names another), keeps to the
   * host's `Crawl-delay`, and `robots` says what robots.txt does. Where it refuses the page or a redirect of it, the fetch
   * fails with `RobotsRefusedError`. `config.respectRobots` doesn't count.
   */
  crawler?: { robots: RobotsRule } | undefined;
  /** What the run of this request asks of each host. */
  pace?: OwnPace | undefined;
  /** Browser only: address patterns of the responses to keep, as `xhr` sources write them. */
  capture?: readonly string[];
  /** Browser only: files to make of the page. Its pictures are then loaded unless `blockResources` is true. */
  files?: readonly FileFact[];
  /** A PDF is a page, read without the browser. Default: it fails the fetch. */
  readsPdf?: boolean;
  /** Measures how long waiting, connecting and reading take. */
  clock?: PhaseClock | undefined;
}

export interface RawRequest {
  url: string;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  deadlineAt: number;
  signal?: AbortSignal;
  /** Default true. Webhooks don't follow redirects: a redirect is a failed delivery. */
  followRedirects?: boolean;
  /** Default 10. */
  maxRedirects?: number;
  /** Whether to send the User-Agent of crawls. */
  asCrawler?: boolean;
  /** Default: the fetcher's limits. A longer body is cut off without an error; more than `maxDecodedBytes` is unpacked when it is larger. */
  maxBytes?: number;
  /** Leaves out a body that can't be decoded instead of failing: the caller needs the status. */
  isBodyOptional?: boolean;
}

export interface RawResponse {
  url: string;
  finalUrl: string;
  status: number;
  contentType: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

export interface FetchedPage extends RawResponse {
  /** ISO 8601 time at which the response was complete, by the fetcher's clock. */
  fetchedAt: string;
  attempts: number;
  engine: FetchEngine;
  /** Responses that the page loaded in a browser, in their order; only when `capture` was given. */
  captures?: readonly CapturedResponse[];
  files?: readonly PageFile[];
  /** Only when `crawler` was given. */
  robots?: RobotsNotes;
}

/** The part of a pino logger that this package uses. */
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
    host: string;
    outcome: string;
    /** Duration of the attempt. */
    tookMs: number;
  }): void;
  proxyOutcome?(event: { tier: ProxyTier; proxy: string; isGood: boolean }): void;
}
