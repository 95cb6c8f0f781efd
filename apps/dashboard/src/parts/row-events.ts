import type { MouseEvent, SyntheticEvent } from 'react';

/** Whether an event is from within its element: React also passes on those of dialogs that were opened there. */
export function isWithin({ currentTarget, target }: SyntheticEvent): boolean {
  return currentTarget.contains(target as Node);
}

/** Whether a click hit no control within the row, and selected no text. */
export function isForRow(event: MouseEvent): boolean {
  const isControl = (event.target as HTMLElement).closest('a, button, input, label') !== null;
  return isWithin(event) && !isControl && String(getSelection()) === '';
}
