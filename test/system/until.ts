import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for a condition; throws when it does not come true in time. A condition that throws is asked again: a busy
 * machine refuses a connection now and then. The default suits a busy machine.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 120_000,
): Promise<void> {
  const end = Date.now() + withinMs;
  for (;;) {
    let fault: unknown;
    try {
      if (await condition()) return;
    } catch (error) {
      fault = error;
    }
    if (Date.now() > end)
      throw new Error(`within ${withinMs} ms it did not happen: ${what}`, { cause: fault });
    await delay(20);
  }
}
