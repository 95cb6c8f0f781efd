import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a condition; throws when it does not come true in time. The default suits a busy machine. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`within ${withinMs} ms it did not happen: ${what}`);
    await delay(20);
  }
}
