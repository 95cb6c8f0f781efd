import { LRUCache } from 'lru-cache';
import { readRetryAfter } from './retries.ts';
import type { HeaderMap } from './http/exchange.ts';
import type { Politeness } from './politeness/politeness.ts';

export type HostStrikes = ReturnType<typeof createHostStrikes>;

/** Whether the hosts are equal or one is a subdomain of the other: shop.example and www.shop.example. */
function isSameSite(one: string, other: string): boolean {
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** Pairs of a host and an account. */
const MAX_KNOWN = 20_000;
/** One 503 can be the fault of one page; several in a row are the host's. */
const STRIKES_TO_PAUSE_503 = 3;

/**
 * Pauses hosts that ask for it. `Retry-After` gives the length of the pause; after a 429 without it, or several 503
 * in a row, the pause doubles until a response succeeds.
 */
export function createHostStrikes(politeness: Pick<Politeness, 'slowDown'>) {
  const strikes = new LRUCache<string, number>({ max: MAX_KNOWN });
  const note = (host: string, accountId: string, status: number, headers: HeaderMap): void => {
    const key = `${host} ${accountId}`;
    if (status !== 429 && status !== 503) {
      if (strikes.size > 0 && status < 400) strikes.delete(key);
      return;
    }
    const count = (strikes.get(key) ?? 0) + 1;
    strikes.set(key, count);
    const requestedMs = readRetryAfter(headers);
    if (requestedMs !== undefined) {
      politeness.slowDown(host, accountId, requestedMs);
      return;
    }
    const excess = status === 429 ? count - 1 : count - STRIKES_TO_PAUSE_503;
    if (excess < 0) return;
    politeness.slowDown(host, accountId, Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** excess));
  };
  return {
    /**
     * Records a response's status and pauses the host for the account when the response asks for it. After a redirect,
     * the requested host is paused too, but only when both belong to one site: no host may pause the host of another site.
     */
    note: (
      accountId: string,
      requested: URL,
      { finalUrl, status, headers }: { finalUrl: string; status: number; headers: HeaderMap },
    ): void => {
      const { host } = new URL(finalUrl);
      note(host, accountId, status, headers);
      if (host !== requested.host && isSameSite(host, requested.host)) {
        note(requested.host, accountId, status, headers);
      }
    },
  };
}
