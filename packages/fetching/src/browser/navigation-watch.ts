import type { Page, Request, Response } from 'playwright';
import { withoutHash } from '../egress/target-url.ts';

/** Tracks the documents that a page requests: the first load, a meta refresh, a script's navigation. */
export type NavigationWatch = ReturnType<typeof watchNavigation>;

/** What is known of a page's documents. */
interface Documents {
  /** Document requests so far, without redirects and without those that replaced no document. */
  count: number;
  /** The document that is requested and not yet there. */
  pending: Request | undefined;
  last: Response | undefined;
  /** The response of the shown document while another one is requested. */
  shown: Response | undefined;
  hasStayed: boolean;
  isParsed: boolean;
  failed: { url: string; reason: string } | undefined;
}

function beginDocument(documents: Documents, request: Request): void {
  if (documents.pending === undefined) documents.shown = documents.last;
  documents.pending = request;
  documents.failed = undefined;
  if (request.redirectedFrom() === null) documents.count += 1;
}

/** The requested document replaced the shown one. */
function commitDocument(documents: Documents): void {
  documents.pending = undefined;
  documents.hasStayed = false;
  documents.isParsed = false;
}

function failDocument(documents: Documents, request: Request): void {
  const reason = request.failure()?.errorText ?? '';
  const isAborted = reason.includes('ERR_ABORTED');
  if (request !== documents.pending) {
    // Chromium never reports a document complete when its body ends early.
    const isShown =
      documents.pending === undefined && request === documents.last?.request() && !documents.isParsed;
    if (isShown && !isAborted) documents.failed = { url: request.url(), reason };
    return;
  }
  documents.pending = undefined;
  if (!isAborted) documents.failed = { url: request.url(), reason };
  else if (documents.shown !== undefined) {
    documents.last = documents.shown;
    documents.count -= 1;
    documents.hasStayed = true;
  }
}

/** Lets callers wait until something is true of the page. `notify` says that it may have become true. */
function createConditions(page: Page) {
  const listeners = new Set<() => void>();
  return {
    notify: (): void => {
      for (const listener of listeners) listener();
    },
    /** Resolves when `isReached`, when the page closes, or after `timeoutMs`. */
    when: (isReached: () => boolean, timeoutMs: number): Promise<void> =>
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
      }),
  };
}

/** Calls `act` at the first response to a document request that is not a redirect. */
function onFirst(act: () => void): (response: Response) => void {
  let isDone = false;
  return (response) => {
    // A redirect does not count: the interception of its next hop is still active.
    if (isDone || (response.status() >= 300 && response.status() < 400)) return;
    isDone = true;
    act();
  };
}

/** Watches a page's main frame. Calls `onFirstResponse` at its first response that is not a redirect. */
export function watchNavigation(page: Page, onFirstResponse: () => void) {
  const documents: Documents = {
    count: 0,
    pending: undefined,
    last: undefined,
    shown: undefined,
    hasStayed: false,
    isParsed: false,
    failed: undefined,
  };
  const { when, notify } = createConditions(page);
  const noteResponse = onFirst(onFirstResponse);
  const isDocument = (request: Request): boolean =>
    request.isNavigationRequest() && request.frame() === page.mainFrame();

  page.on('request', (request) => {
    if (!isDocument(request)) return;
    beginDocument(documents, request);
    notify();
  });
  page.on('response', (response) => {
    if (!isDocument(response.request())) return;
    documents.last = response;
    noteResponse(response);
  });
  page.on('framenavigated', (frame) => {
    const { pending } = documents;
    // A script may have changed the fragment of the old document.
    if (frame !== page.mainFrame() || pending === undefined) return;
    if (withoutHash(frame.url()) !== withoutHash(pending.url())) return;
    commitDocument(documents);
    notify();
  });
  page.on('domcontentloaded', () => {
    const { pending, last } = documents;
    // The document arrived, although the page's address differs from the request's.
    if (pending !== undefined && last?.request() === pending) commitDocument(documents);
    documents.isParsed = true;
    notify();
  });
  page.on('requestfailed', (request) => {
    if (!isDocument(request)) return;
    failDocument(documents, request);
    notify();
  });

  return {
    /** The response to the last document request. */
    lastResponse: (): Response | undefined => documents.last,
    /** The last document, when it failed to load in whole or part. A superseded document does not count. */
    failure: (): Documents['failed'] => documents.failed,
    /** Document requests so far, without HTTP redirects and without those that replaced no document. */
    count: (): number => documents.count,
    isPending: (): boolean => documents.pending !== undefined,
    /** Resolves when a document request starts, or after `timeoutMs`. */
    whenStarted: (timeoutMs: number): Promise<void> => {
      const before = documents.count;
      return when(() => documents.pending !== undefined || documents.count > before, timeoutMs);
    },
    /** Resolves when no document request is pending, or after `timeoutMs`. */
    whenCommitted: (timeoutMs: number): Promise<void> =>
      when(() => documents.pending === undefined, timeoutMs),
    /**
     * Whether the shown document requested another that never replaced it: a download, a 204, an external link.
     * Playwright may then miss that the shown document is complete.
     */
    hasStayed: (): boolean => documents.hasStayed,
    /** Whether the document that stayed was not parsed to its end. Chromium then drops the rest. */
    isCutOff: (): boolean => documents.hasStayed && !documents.isParsed,
    /** Resolves on `hasStayed()` or `failure()`, when Playwright may report no completion, or after `timeoutMs`. */
    whenStalled: (timeoutMs: number): Promise<void> =>
      when(() => documents.hasStayed || documents.failed !== undefined, timeoutMs),
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
