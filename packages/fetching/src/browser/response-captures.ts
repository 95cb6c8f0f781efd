import { createTurns, matchesUrlPattern, withTimeout } from '@gleaner/contracts';
import type { Page, Response } from 'playwright';
import type { CapturedResponse } from '../http/http-engine.ts';

/** Bounds per page. Chromium itself keeps no body that is much larger. */
const MAX_RESPONSES = 100;
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;

/** Types of requests that scripts make for data. */
const DATA_TYPES: ReadonlySet<string> = new Set(['xhr', 'fetch']);

interface Entry {
  url: string;
  json: string | undefined;
}

function isWanted(response: Response, patterns: readonly string[]): boolean {
  if (!DATA_TYPES.has(response.request().resourceType())) return false;
  if (response.status() < 200 || response.status() >= 300) return false;
  return patterns.some((pattern) => matchesUrlPattern(pattern, response.url()));
}

/**
 * Keeps responses of a page's scripts if their address fits one of the patterns (as `xhr` sources write them).
 * Redirects, error statuses, and bodies above the bounds are left out.
 */
export function captureResponses(page: Page, patterns: readonly string[]) {
  const entries: Entry[] = [];
  // A pattern for every address names none to wait for.
  const missing = new Set(patterns.filter((pattern) => pattern !== '*'));
  let totalBytes = 0;
  let seen = 0;
  let readingCount = 0;
  /** One body at a time, so that no more than one is in memory beyond the bound. */
  const takeTurn = createTurns(1);
  const { promise: complete, resolve: markComplete } = Promise.withResolvers<void>();

  const keep = async (response: Response, entry: Entry): Promise<void> => {
    if (totalBytes >= MAX_TOTAL_BYTES) return;
    const body = await response.body();
    if (body.length > MAX_BODY_BYTES || totalBytes + body.length > MAX_TOTAL_BYTES) return;
    totalBytes += body.length;
    entry.json = body.toString('utf8');
  };

  const settle = (url: string): void => {
    readingCount -= 1;
    for (const pattern of missing) if (matchesUrlPattern(pattern, url)) missing.delete(pattern);
    if (missing.size === 0 && readingCount === 0) markComplete();
  };

  page.on('response', (response) => {
    if (seen >= MAX_RESPONSES || !isWanted(response, patterns)) return;
    seen += 1;
    readingCount += 1;
    const entry: Entry = { url: response.url(), json: undefined };
    entries.push(entry);
    // The browser drops some bodies, for example after a navigation. They are left out.
    void takeTurn(() => keep(response, entry))
      .catch(() => undefined)
      .then(() => settle(entry.url));
  });

  return {
    /** Resolves when every pattern has a whole response, or after `timeoutMs`. */
    whenComplete: async (timeoutMs: number): Promise<void> => {
      if (missing.size === 0 && readingCount === 0) return;
      page.once('close', () => markComplete());
      await withTimeout(complete, timeoutMs, () => undefined);
    },
    /** The responses that are whole, in the order in which they began. */
    read: (): CapturedResponse[] =>
      entries.flatMap(({ url, json }) => (json === undefined ? [] : [{ url, json }])),
  };
}
