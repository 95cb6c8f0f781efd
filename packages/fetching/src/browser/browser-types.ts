import type { FileFact, ScrapeConfig } from '@gleaner/contracts';
import type { ProxyRoute } from '../egress/guard-proxy.ts';
import type { HttpResponse } from '../http/http-engine.ts';
import type { RedirectCheck } from '../redirect-check.ts';

export interface BrowserSettings {
  /** Unpacks the packaged Chromium at once, which takes seconds, instead of at the first page. */
  prepare?: boolean;
  /** The Chromium to use. Default: Playwright's, else the packaged one, else the system's. */
  executablePath?: string;
  /** Pages open at once in one browser. Default 4. */
  pagesPerBrowser?: number;
  /** Replace a browser after this many pages. Default 100. */
  retireAfterPages?: number;
}

export interface BrowserRequest {
  url: URL;
  config: ScrapeConfig;
  deadlineAt: number;
  signal: AbortSignal;
  /** The proxy session's route; `undefined`: a direct route through the guard. */
  route: ProxyRoute | undefined;
  /** Use a generated fingerprint; the same key gets the same one. */
  fingerprintKey: string | undefined;
  checkRedirect: RedirectCheck | undefined;
  /** Called at the document's first response that is no redirect. */
  onResponse?: (() => void) | undefined;
  /** Address patterns of the responses to keep. */
  capture: readonly string[] | undefined;
  /** Files to make of the page. */
  files: readonly FileFact[] | undefined;
}

/** Whether Chromium's sandbox holds; `untried` until the first browser has loaded a page. */
export type SandboxState = 'on' | 'off' | 'untried';

export interface BrowserStats {
  browsers: number;
  pages: number;
  launched: number;
  crashed: number;
  memoryBytes: number;
  sandbox: SandboxState;
  chromium: string;
}

/** Loads pages in Chromium. The first fetch starts it. */
export interface BrowserEngine {
  fetch(request: BrowserRequest): Promise<HttpResponse>;
  stats(): BrowserStats;
  close(): Promise<void>;
}
