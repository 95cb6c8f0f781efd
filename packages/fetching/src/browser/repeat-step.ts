import { remainingMs } from './navigation-waits.ts';

/** How often a step is repeated, and the share of the time left that all of it may take. */
const MAX_REPEATS = 100;
const REPEAT_SHARE = 0.8;

export interface RepeatedRun {
  deadlineAt: number;
  /** Waits until the page has done what a step set off. */
  settle: () => Promise<void>;
}

/**
 * Repeats a step until it returns false, because nothing was left to do. When its number or its share of the time is over,
 * it ends too: the page is then read as it is.
 */
export async function repeatStep(
  { deadlineAt, settle }: RepeatedRun,
  step: () => Promise<boolean>,
): Promise<void> {
  const endAt = Date.now() + remainingMs(deadlineAt) * REPEAT_SHARE;
  await settle();
  for (let times = 0; times < MAX_REPEATS && Date.now() < endAt; times += 1) {
    if (!(await step())) return;
    await settle();
  }
}
