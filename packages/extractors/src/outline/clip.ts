import { cutText } from '@gleaner/contracts/text';
/** The text with at most this many UTF-16 units; a shortened one ends with an ellipsis. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${cutText(text, Math.max(0, length - 1))}…`;
}

/** Characters of the value as JSON. */
export function jsonSize(value: unknown): number {
  return (JSON.stringify(value) ?? '').length;
}
