import { withoutHash } from '../egress/target-url.ts';
import type { AttemptPlan, PageRequest } from '../page-attempt.ts';
import type { HostVisit } from './host-wait.ts';
import type { Politeness } from './politeness.ts';

/** A request that its caller queues again waits this long for its host and keeps its slot meanwhile. */
const SHORT_PAUSE_MS = 2_000;

/** The hosts that one attempt asks: that of its address, and those of its redirects. */
export function createVisits(politeness: Politeness, request: PageRequest, timeoutMs: number) {
  const visits: HostVisit[] = [];
  const hosts = new Set<string>();
  const enter = (host: string, isRedirect: boolean): Promise<void> | undefined => {
    const deadlineAt = Math.min(request.deadlineAt, Date.now() + timeoutMs);
    const entered = politeness.enter(host, {
      accountId: request.accountId,
      deadlineAt,
      crawlDelayMs: request.visit?.crawlDelayMs() ?? 0,
      own: request.pace,
      isRedirect,
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
  return {
    /** Waits until the host may receive the request; undefined when it may at once. */
    enter: () => enter(request.target.host, false),
    leave: (): void => {
      for (const visit of visits) visit.leave();
    },
    /** The request, which waits for its turn before each redirect, and says when its bytes have left. */
    paced: ({ engine }: Pick<AttemptPlan, 'engine'>): PageRequest => {
      if (visits.length === 0) return request;
      let present = withoutHash(request.target.href);
      return {
        ...request,
        checkRedirect: async (url) => {
          await request.checkRedirect?.(url);
          const next = withoutHash(url.href);
          // A browser asks for its first document too, and for the address that it shows at last.
          if (engine === 'browser' && next === present) return;
          present = next;
          sent();
          await enter(url.host, true);
        },
        onSent: sent,
      };
    },
  };
}
