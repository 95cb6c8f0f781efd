import { renewRequests, REQUEST_LEASE_MS, type Logger, type RequestKey, type Services } from '@gleaner/core';

/** Often enough that one failed renewal does not lose the lease. */
const RENEW_MS = REQUEST_LEASE_MS / 3;

/** The leases of all requests that this process runs, renewed by one statement. */
export interface RequestLeases {
  /**
   * Renews the lease of a started request.
   * @param lose called when this process no longer has it: the work must stop
   * @returns a function that ends the renewals
   */
  hold(key: RequestKey, lose: (reason: string) => void): () => void;
  close(): void;
}

interface Held extends RequestKey {
  until: number;
  lose: (reason: string) => void;
}

export function createRequestLeases(deps: Pick<Services, 'db'> & { log: Logger }): RequestLeases {
  const held = new Map<string, Held>();

  const renew = async (): Promise<void> => {
    const asked = new Map(held);
    const sentAt = Date.now();
    try {
      const { renewed, lost } = await renewRequests(deps, [...asked.values()]);
      for (const id of renewed) {
        const lease = asked.get(id);
        if (lease) lease.until = sentAt + REQUEST_LEASE_MS;
      }
      for (const id of lost) {
        const lease = asked.get(id);
        if (lease && held.get(id) === lease) lease.lose('the lease was lost');
      }
    } catch (error) {
      deps.log.warn({ err: error, count: asked.size }, 'leases were not renewed');
    }
    for (const lease of held.values()) {
      if (Date.now() > lease.until - RENEW_MS / 2) lease.lose('the lease ran out');
    }
  };
  const timer = setInterval(() => {
    if (held.size > 0) void renew();
  }, RENEW_MS);
  timer.unref();

  return {
    hold: (key, lose) => {
      held.get(key.id)?.lose('another attempt has begun');
      const lease = { ...key, until: Date.now() + REQUEST_LEASE_MS, lose };
      held.set(key.id, lease);
      return () => {
        if (held.get(key.id) === lease) held.delete(key.id);
      };
    },
    close: () => clearInterval(timer),
  };
}
