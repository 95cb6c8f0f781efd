/** Lets one loop wait for an event of others, or for a time. */
export interface Bell {
  ring: () => void;
  /** Resolves at the next ring, or after `ms`. A ring while nobody waits counts for the next wait. */
  wait: (ms: number) => Promise<void>;
}

export function createBell(): Bell {
  let hasRung = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      hasRung = true;
      wake?.();
    },
    wait: async (ms) => {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = undefined;
      hasRung = false;
    },
  };
}
