import { setTimeout as delay } from 'node:timers/promises';

/** Lets one loop wait for an event of others, or for a time. */
export interface Bell {
  ring: () => void;
  /** Resolves at the next ring, or after `ms`. A ring while nobody waits counts for the next wait. */
  wait: (ms: number) => Promise<void>;
}

export function createBell(): Bell {
  let rung = new AbortController();
  return {
    ring: () => rung.abort(),
    wait: async (ms) => {
      await delay(ms, undefined, { signal: rung.signal }).catch(() => undefined);
      rung = new AbortController();
    },
  };
}
