import { readRetryAfter } from './retries.ts';
import type { HeaderMap } from './http/exchange.ts';
import type { Politeness } from './politeness/politeness.ts';

export interface HostStrikes {
  /**
   * Takes note of an answer's status; pauses the host that gave it when it asks for it. The host that led there by a
   * redirect shares the pause only within one site: where a page leads is nothing that a stranger may pause it for.
   */
  note(asked: URL, answer: { finalUrl: string; status: number; headers: HeaderMap }): void;
}

/** Whether one host is the other or a part of it: shop.example and www.shop.example. */
function isSameSite(one: string, other: string): boolean {
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const MAX_HOSTS = 10_000;
/** A 503 can be the fault of one page; several in a row are the host's. */
const UNASKED_503_STRIKES = 3;

/**
 * Reads the hosts' wishes out of their answers: `Retry-After` is taken at its word; a 429 without one, or several
 * 503 in a row, pause the host for a time that doubles until an answer succeeds.
 */
export function createHostStrikes(politeness: Politeness): HostStrikes {
  const strikes = new Map<string, number>();
  const note = (host: string, status: number, headers: HeaderMap): void => {
    if (status !== 429 && status !== 503) {
      if (strikes.size > 0 && status < 400) strikes.delete(host);
      return;
    }
    const count = (strikes.get(host) ?? 0) + 1;
    if (strikes.size >= MAX_HOSTS) strikes.clear();
    strikes.set(host, count);
    const askedMs = readRetryAfter(headers);
    if (askedMs !== undefined) {
      politeness.slowDown(host, askedMs);
      return;
    }
    const past = status === 429 ? count - 1 : count - UNASKED_503_STRIKES;
    if (past >= 0) politeness.slowDown(host, Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** past));
  };
  return {
    note: (asked, { finalUrl, status, headers }) => {
      const { host } = new URL(finalUrl);
      note(host, status, headers);
      if (host !== asked.host && isSameSite(host, asked.host)) note(asked.host, status, headers);
    },
  };
}
