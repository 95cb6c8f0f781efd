import type { Page, Request, Response } from 'playwright';

/** Tracks the documents that a page requests: the first load, a meta refresh, a script's navigation. */
export interface NavigationWatch {
  /** The response to the last document request. */
  lastResponse(): Response | undefined;
  /** The last document, when it failed to load in whole or part. A superseded document does not count. */
  failure(): { url: string; reason: string } | undefined;
  /** Document requests so far, without HTTP redirects and without those that replaced no document. */
  count(): number;
  isPending(): boolean;
  /**
   * Whether the shown document requested another that never replaced it: a download, a 204, an external link.
   * Playwright may then miss that the shown document is complete.
   */
  hasStayed(): boolean;
  /** Whether the document that stayed was not parsed to its end. Chromium then drops the rest. */
  isCutOff(): boolean;
  /** Resolves when a document request starts, or after `timeoutMs`. */
  whenStarted(timeoutMs: number): Promise<void>;
  /** Resolves when no document request is pending, or after `timeoutMs`. */
  whenCommitted(timeoutMs: number): Promise<void>;
  /** Resolves on `hasStayed()` or `failure()`, when Playwright may report no completion, or after `timeoutMs`. */
  whenStalled(timeoutMs: number): Promise<void>;
}

function withoutHash(url: string): string {
  return url.split('#', 1)[0] ?? '';
}

/** Watches a page's main frame. Calls `onFirstResponse` at its first response that is not a redirect. */
export function watchNavigation(page: Page, onFirstResponse: () => void): NavigationWatch {
  let pending: Request | undefined;
  let count = 0;
  let last: Response | undefined;
  /** The response of the shown document while another one is requested. */
  let shown: Response | undefined;
  let hasStayed = false;
  let isParsed = false;
  let failed: { url: string; reason: string } | undefined;
  let hasResponse = false;
  const listeners = new Set<() => void>();

  const isDocument = (request: Request): boolean =>
    request.isNavigationRequest() && request.frame() === page.mainFrame();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };

  page.on('request', (request) => {
    if (!isDocument(request)) return;
    if (pending === undefined) shown = last;
    pending = request;
    failed = undefined;
    if (request.redirectedFrom() === null) count += 1;
    notify();
  });
  page.on('response', (response) => {
    if (!isDocument(response.request())) return;
    last = response;
    // A redirect does not count: the interception of its next hop is still active.
    if (!hasResponse && (response.status() < 300 || response.status() >= 400)) {
      hasResponse = true;
      onFirstResponse();
    }
  });
  const commit = (): void => {
    pending = undefined;
    hasStayed = false;
    isParsed = false;
    notify();
  };
  page.on('framenavigated', (frame) => {
    // A script may have changed the fragment of the old document.
    if (frame !== page.mainFrame() || pending === undefined) return;
    if (withoutHash(frame.url()) !== withoutHash(pending.url())) return;
    commit();
  });
  // The document arrived, although the page's address differs from the request's.
  page.on('domcontentloaded', () => {
    if (pending !== undefined && last?.request() === pending) commit();
    isParsed = true;
  });
  page.on('requestfailed', (request) => {
    if (!isDocument(request)) return;
    const reason = request.failure()?.errorText ?? '';
    if (request !== pending) {
      // Chromium never reports a document complete when its body ends early.
      const isShown = pending === undefined && request === last?.request() && !isParsed;
      if (isShown && !reason.includes('ERR_ABORTED')) {
        failed = { url: request.url(), reason };
        notify();
      }
      return;
    }
    pending = undefined;
    if (!reason.includes('ERR_ABORTED')) failed = { url: request.url(), reason };
    else if (shown !== undefined) {
      last = shown;
      count -= 1;
      hasStayed = true;
    }
    notify();
  });

  const when = (isReached: () => boolean, timeoutMs: number): Promise<void> =>
    new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        listeners.delete(check);
        page.off('close', finish);
        resolve();
      };
      const check = (): void => {
        if (isReached()) finish();
      };
      const timer = setTimeout(finish, timeoutMs);
      listeners.add(check);
      page.on('close', finish);
      check();
    });

  return {
    lastResponse: () => last,
    failure: () => failed,
    count: () => count,
    isPending: () => pending !== undefined,
    whenStarted: (timeoutMs) => {
      const before = count;
      return when(() => pending !== undefined || count > before, timeoutMs);
    },
    whenCommitted: (timeoutMs) => when(() => pending === undefined, timeoutMs),
    hasStayed: () => hasStayed,
    isCutOff: () => hasStayed && !isParsed,
    whenStalled: (timeoutMs) => when(() => hasStayed || failed !== undefined, timeoutMs),
  };
}

/** Whether Playwright's call failed because the page moved on to another document. */
export function isInterruption(error: unknown): boolean {
  return (
    error instanceof Error &&
    /interrupted by another navigation|Execution context was destroyed|Cannot find context|navigating and changing the content|net::ERR_ABORTED/.test(
      error.message,
    )
  );
}
