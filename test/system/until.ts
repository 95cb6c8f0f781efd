import { setTimeout as delay } from 'node:timers/promises';

/** Between two looks: short at first, and longer the longer it takes, because looks cost the service time too. */
const MIN_PAUSE_MS = 20;
const MAX_PAUSE_MS = 250;

/**
 * Waits for a condition; throws when it does not come true in time. A condition that throws is asked again: a busy
 * machine refuses a connection now and then. The default suits a busy machine.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 120_000,
): Promise<void> {
  const from = Date.now();
  for (;;) {
    let fault: unknown;
    try {
      if (await condition()) return;
    } catch (error) {
      fault = error;
    }
    const waitedMs = Date.now() - from;
    if (waitedMs > withinMs)
      throw new Error(`within ${withinMs} ms it did not happen: ${what}`, { cause: fault });
    await delay(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, waitedMs / 10)));
  }
}
