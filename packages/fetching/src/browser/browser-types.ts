import type { ScrapeConfig } from '@gleaner/contracts';
import type { ProxyRoute } from '../egress/guard-proxy.ts';
import type { HttpResponse } from '../http/http-engine.ts';

export interface BrowserSettings {
  /** Find and unpack Chromium at once, and say whether its sandbox is on, instead of with the first page. */
  prepare?: boolean;
  /** Chromium to use. Default: Playwright's own, else the packaged one, else the system's. */
  executablePath?: string;
  /** Folder in which the packaged Chromium is unpacked, in one of its own per version. Default: a private one. */
  unpackDir?: string;
  /** Pages open at once in one browser. Default 4. */
  pagesPerBrowser?: number;
  /** A browser is replaced after so many pages. Default 100. */
  retireAfterPages?: number;
  /** A browser is replaced when it is older. Default 15 minutes. */
  retireAfterMs?: number;
  /** A browser is replaced when its processes hold more memory together. Default 1.5 GB. */
  retireAboveBytes?: number;
  /** Default: on, unless this process runs as root. */
  sandbox?: boolean;
  viewport?: { width: number; height: number };
  locale?: string;
}

export interface BrowserRequest {
  url: URL;
  config: ScrapeConfig;
  deadlineAt: number;
  signal: AbortSignal;
  /** The way out; `undefined`: directly, through the guard. */
  route: ProxyRoute | undefined;
  /** Give the visitor a generated fingerprint; the same `fingerprintKey` gets the same one. */
  fingerprintKey: string | undefined;
  ownCookies: string;
}

export interface BrowserStats {
  browsers: number;
  pages: number;
  launched: number;
  crashed: number;
  memoryBytes: number;
  isSandboxed: boolean;
  chromium: string;
}

/** Pages loaded in Chromium. The first fetch starts it. */
export interface BrowserEngine {
  fetch(request: BrowserRequest): Promise<HttpResponse>;
  stats(): BrowserStats;
  close(): Promise<void>;
}
