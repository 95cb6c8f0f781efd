import type { Redirected } from '@gleaner/contracts';
import { withoutHash } from '../egress/target-url.ts';
import { MAX_REDIRECTS, RedirectLimitError } from '../http/http-engine.ts';
import type { AttemptPlan, PageRequest } from '../page-attempt.ts';
import type { RedirectHop } from '../redirect-check.ts';
import { HostBusyError, RedirectBusyError } from './host-busy.ts';
import type { HostVisit } from './host-wait.ts';
import type { Politeness } from './politeness.ts';

/** A request that its caller queues again waits this long for its host and keeps its slot meanwhile. */
const SHORT_PAUSE_MS = 2_000;

/** The longest `Cookie` header that is kept for a redirect. */
const MAX_COOKIES_LENGTH = 4_000;

/** Headers that say nothing of who asks. */
const ANONYMOUS = /^(user-agent|accept(-.*)?)$/i;

/** Whether a request like the one that follows a redirect can be sent by itself later. */
function canGoOnLater({ config, goesOnLater = false }: PageRequest, hop: RedirectHop | undefined): boolean {
  if (!goesOnLater || hop?.isPlain === false) return false;
  // Cookies for a visitor who is known by own headers are not stored.
  const headers = Object.keys(config.headers ?? {});
  const isKnown = config.cookies !== undefined || headers.some((name) => !ANONYMOUS.test(name));
  const { length } = hop?.cookies ?? '';
  return length === 0 || (!isKnown && length <= MAX_COOKIES_LENGTH);
}

/** The hosts that one attempt asks: that of its address, and those of its redirects. */
export function createVisits(politeness: Politeness, request: PageRequest, timeoutMs: number) {
  const visits: HostVisit[] = [];
  const hosts = new Set<string>();
  const enter = (
    host: string,
    kind: { isRedirect: boolean; isBound: boolean },
  ): Promise<void> | undefined => {
    const deadlineAt = Math.min(request.deadlineAt, Date.now() + timeoutMs);
    const entered = politeness.enter(host, {
      accountId: request.accountId,
      deadlineAt,
      crawlDelayMs: request.visit?.crawlDelayMs() ?? 0,
      own: request.pace,
      ...kind,
      hasSlot: hosts.has(host),
      ...(request.isRequeuedWhenBusy === true
        ? { pauseDeadlineAt: Math.min(deadlineAt, Date.now() + SHORT_PAUSE_MS) }
        : {}),
      signal: request.signal,
    });
    hosts.add(host);
    return entered?.then((visit) => void (visit === undefined || visits.push(visit)));
  };
  const sent = (): void => {
    for (const visit of visits) visit.sent();
  };
  const enterRedirect = async (url: URL, next: Redirected, isBound: boolean): Promise<void> => {
    try {
      await enter(url.host, { isRedirect: true, isBound });
    } catch (error) {
      throw error instanceof HostBusyError && !isBound ? new RedirectBusyError(error, next) : error;
    }
  };
  return {
    /** Waits until the host may receive the request; undefined when it may at once. */
    enter: () => enter(request.target.host, { isRedirect: false, isBound: false }),
    leave: (): void => {
      for (const visit of visits) visit.leave();
    },
    /** The request, which waits for its turn before each redirect, and says when its bytes have left. */
    paced: ({ engine }: Pick<AttemptPlan, 'engine'>): PageRequest => {
      if (visits.length === 0) return request;
      let present = withoutHash(request.target.href);
      let { redirects = 0, isForeign = false }: Partial<Redirected> = request.redirected ?? {};
      return {
        ...request,
        checkRedirect: async (url, hop) => {
          await request.checkRedirect?.(url, hop);
          const next = withoutHash(url.href);
          // A browser asks for its first document too, and for the address that it shows at last.
          if (engine === 'browser' && next === present) return;
          present = next;
          redirects += 1;
          isForeign ||= url.origin !== request.target.origin;
          if (redirects > MAX_REDIRECTS) throw new RedirectLimitError(MAX_REDIRECTS);
          sent();
          const cookies = hop === undefined || hop.cookies === '' ? undefined : hop.cookies;
          const redirected = { url: url.href, redirects, isForeign, cookies };
          await enterRedirect(url, redirected, !canGoOnLater(request, hop));
        },
        onSent: sent,
      };
    },
  };
}
