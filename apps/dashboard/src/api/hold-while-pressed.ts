import { notifyManager } from '@tanstack/react-query';

/** A longer press, such as one that selects text, holds nothing any more. */
const LONGEST_PRESS_MS = 1_000;
/** A click follows the release within this time. */
const CLICK_MS = 50;

/**
 * Shows answers when nothing is pressed. A list that changes between press and release moves another line under the
 * pointer, and the browser then clicks neither.
 */
export function holdAnswersWhilePressed(): void {
  let isPressed = false;
  let ends: ReturnType<typeof setTimeout> | undefined;
  const held: (() => void)[] = [];
  const endIn = (ms: number): void => {
    clearTimeout(ends);
    ends = setTimeout(() => {
      isPressed = false;
      for (const show of held.splice(0)) show();
    }, ms);
  };
  notifyManager.setScheduler((show) => {
    if (isPressed) held.push(show);
    else setTimeout(show, 0);
  });
  const press = (): void => {
    isPressed = true;
    endIn(LONGEST_PRESS_MS);
  };
  const release = (): void => endIn(CLICK_MS);
  window.addEventListener('pointerdown', press, true);
  window.addEventListener('pointerup', release, true);
  window.addEventListener('pointercancel', release, true);
}
