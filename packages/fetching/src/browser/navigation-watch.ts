import type { Page, Request, Response } from 'playwright';

/** Follows the documents that a page asks for, whoever began it: the first load, a meta refresh, a script. */
export interface NavigationWatch {
  /** The answer to the last document that was asked for. */
  lastResponse(): Response | undefined;
  /** The last document that failed to load, whole or in part, and why; not one that another took the place of. */
  failure(): { url: string; reason: string } | undefined;
  /** Documents asked for so far, HTTP redirects not counted, nor what took no document's place. */
  count(): number;
  isPending(): boolean;
  /**
   * Whether the document now shown has asked for one that never came: a download, a 204, another program's link.
   * Playwright may then miss that it is complete.
   */
  hasStayed(): boolean;
  /** Whether the document that has stayed had not been read to its end: Chromium then leaves out the rest. */
  isCutOff(): boolean;
  /** Resolves when a document is being asked for, or after `timeoutMs`. */
  whenStarted(timeoutMs: number): Promise<void>;
  /** Resolves when no document is being waited for, or after `timeoutMs`. */
  whenCommitted(timeoutMs: number): Promise<void>;
  /** Resolves when the document may never be told to be complete: `hasStayed()` or `failure()`; or after `timeoutMs`. */
  whenStalled(timeoutMs: number): Promise<void>;
}

function withoutHash(url: string): string {
  return url.split('#', 1)[0] ?? '';
}

/** Watches a page's main frame. `onFirstAnswer` is told of its first answer that is not a redirect. */
export function watchNavigation(page: Page, onFirstAnswer: () => void): NavigationWatch {
  let pending: Request | undefined;
  let count = 0;
  let last: Response | undefined;
  /** The answer to the document that is shown while another is asked for. */
  let shown: Response | undefined;
  let hasStayed = false;
  let isRead = false;
  let failed: { url: string; reason: string } | undefined;
  let hasAnswered = false;
  const listeners = new Set<() => void>();

  const isDocument = (request: Request): boolean =>
    request.isNavigationRequest() && request.frame() === page.mainFrame();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };

  page.on('request', (request) => {
    if (!isDocument(request)) return;
    if (pending === undefined) shown = last;
    pending = request;
    failed = undefined;
    if (request.redirectedFrom() === null) count += 1;
    tell();
  });
  page.on('response', (response) => {
    if (!isDocument(response.request())) return;
    last = response;
    // Not at a redirect: its next hop is being looked at right now.
    if (!hasAnswered && (response.status() < 300 || response.status() >= 400)) {
      hasAnswered = true;
      onFirstAnswer();
    }
  });
  const commit = (): void => {
    pending = undefined;
    hasStayed = false;
    isRead = false;
    tell();
  };
  page.on('framenavigated', (frame) => {
    // A script may change the fragment of the old document meanwhile.
    if (frame !== page.mainFrame() || pending === undefined) return;
    if (withoutHash(frame.url()) !== withoutHash(pending.url())) return;
    commit();
  });
  // The document has come although its address reads differently.
  page.on('domcontentloaded', () => {
    if (pending !== undefined && last?.request() === pending) commit();
    isRead = true;
  });
  page.on('requestfailed', (request) => {
    if (!isDocument(request)) return;
    const reason = request.failure()?.errorText ?? '';
    if (request !== pending) {
      // Chromium never completes a document whose body ends early.
      const isShown = pending === undefined && request === last?.request() && !isRead;
      if (isShown && !reason.includes('ERR_ABORTED')) {
        failed = { url: request.url(), reason };
        tell();
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
    tell();
  });

  const when = (isReached: () => boolean, timeoutMs: number): Promise<void> =>
    new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        listeners.delete(look);
        page.off('close', finish);
        resolve();
      };
      const look = (): void => {
        if (isReached()) finish();
      };
      const timer = setTimeout(finish, timeoutMs);
      listeners.add(look);
      page.on('close', finish);
      look();
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
    isCutOff: () => hasStayed && !isRead,
    whenStalled: (timeoutMs) => when(() => hasStayed || failed !== undefined, timeoutMs),
  };
}

/** Whether Playwright's call failed because the page went on to another document meanwhile. */
export function isInterruption(error: unknown): boolean {
  return (
    error instanceof Error &&
    /interrupted by another navigation|Execution context was destroyed|Cannot find context|navigating and changing the content|net::ERR_ABORTED/.test(
      error.message,
    )
  );
}
