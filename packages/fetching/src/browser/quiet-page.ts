import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Request } from 'playwright';
import { remainingMs } from './navigation-waits.ts';

/** A page that has changed nothing for this long is read. */
const QUIET_MS = 500;
/** A page that is never quiet is read after this long. */
const QUIET_PATIENCE_MS = 10_000;
/** What a page may load before its text is complete. Pictures, media, beacons and sockets don't count. */
const COUNTED = new Set(['script', 'fetch', 'xhr', 'document']);

/** Whether the document has scripts or handlers at all. Runs in the page. */
function hasScripts(): boolean {
  const isScript = ({ type }: HTMLScriptElement): boolean =>
    type === '' || type === 'module' || /javascript|ecmascript/i.test(type);
  const handlers = '//@*[starts-with(name(), "on")]';
  const first = XPathResult.ANY_UNORDERED_NODE_TYPE;
  return (
    [...document.scripts].some(isScript) ||
    document.evaluate(handlers, document, null, first).singleNodeValue !== null
  );
}

/** When a document's text last changed. Lives in the page. */
interface TextWatch {
  /** Milliseconds since the text last changed. */
  stillMs(): number;
  end(): void;
}

/** Begins to watch the document's text. Runs in the page, so it names nothing of this module. */
function watchText(): TextWatch {
  /** A text that is replaced more often is a clock, not content. */
  const MAX_REPLACED = 5;
  let changedAt = performance.now();
  const replaced = new WeakMap<Node, number>();
  const watched = new WeakSet<Node>();
  const hasText = (node: Node): boolean =>
    node instanceof Text
      ? /\S/.test(node.data)
      : node instanceof Element && !/^(?:script|style|link|iframe)$/.test(node.localName);
  const isChange = ({ target, type, addedNodes, removedNodes }: MutationRecord): boolean => {
    if (target instanceof Element && /^(?:script|style|head)$/.test(target.localName)) return false;
    if (type === 'childList' && ![...addedNodes, ...removedNodes].some(hasText)) return false;
    if (type === 'childList' && removedNodes.length === 0) return true;
    const times = (replaced.get(target) ?? 0) + 1;
    replaced.set(target, times);
    return times <= MAX_REPLACED;
  };
  const observer = new MutationObserver((records) => {
    if (records.filter(isChange).length > 0) changedAt = performance.now();
  });
  const observe = (root: Document | ShadowRoot): boolean => {
    let isNew = !watched.has(root);
    watched.add(root);
    if (isNew) observer.observe(root, { subtree: true, childList: true, characterData: true });
    for (const { shadowRoot } of root.querySelectorAll('*')) {
      if (shadowRoot !== null && observe(shadowRoot)) isNew = true;
    }
    return isNew;
  };
  observe(document);
  return {
    end: () => observer.disconnect(),
    stillMs: () => {
      if (observe(document)) changedAt = performance.now();
      return performance.now() - changedAt;
    },
  };
}

/** Runs in the page. */
function stillMsOf(watch: TextWatch): number {
  return watch.stillMs();
}

/** Runs in the page. */
function endWatch(watch: TextWatch): void {
  watch.end();
}

/**
 * The digest of a request as polling repeats it: times and random numbers in its address don't count. A page may send
 * any number of long ones.
 */
function keyOf(request: Request): string {
  const address = request.url().replace(/\d{8,}|0\.\d{5,}/g, '');
  return hash('sha256', `${request.method()} ${address} ${request.postData() ?? ''}`);
}

/** What a page loads that may change its text. */
export type RequestWatch = ReturnType<typeof watchRequests>;

/** Watches what the page and its frames load, from now on. */
export function watchRequests(page: Page) {
  const pending = new Set<Request>();
  const seen = new Set<string>();
  let changedAt = performance.now();
  let count = 0;
  const end = (request: Request): void => {
    if (pending.delete(request)) changedAt = performance.now();
  };
  page.on('request', (request) => {
    if (!COUNTED.has(request.resourceType())) return;
    const isMain = request.isNavigationRequest() && request.frame() === page.mainFrame();
    if (isMain) {
      // What the document before it was loading is no part of this one.
      pending.clear();
      seen.clear();
      count = 0;
      return;
    }
    count += 1;
    const key = keyOf(request);
    if (seen.has(key) && request.redirectedFrom() === null) return;
    seen.add(key);
    pending.add(request);
    changedAt = performance.now();
  });
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  // A stream of events never ends.
  page.on('response', (response) => {
    if (/^text\/event-stream/i.test(response.headers()['content-type'] ?? '')) end(response.request());
  });
  return {
    /** How many scripts and data the document has asked for. */
    count: (): number => count,
    /** Milliseconds since the last of them came; 0 while one is on its way. */
    stillMs: (): number => (pending.size > 0 ? 0 : performance.now() - changedAt),
  };
}

/**
 * Waits until scripts, data and frames have come and the text has stayed the same for half a second, 10 s at most. A page
 * without scripts is not waited for.
 */
export async function waitForQuiet(page: Page, requests: RequestWatch, deadlineAt: number): Promise<void> {
  if (requests.count() === 0 && !(await page.evaluate(hasScripts))) return;
  const endAt = Date.now() + Math.min(QUIET_PATIENCE_MS, remainingMs(deadlineAt) / 2);
  const watch = await page.evaluateHandle(watchText);
  for (;;) {
    const stillMs = Math.min(requests.stillMs(), await watch.evaluate(stillMsOf));
    const leftMs = endAt - Date.now();
    if (stillMs >= QUIET_MS || leftMs <= 0) break;
    await sleep(Math.min(QUIET_MS - stillMs, leftMs));
  }
  await watch.evaluate(endWatch);
}
