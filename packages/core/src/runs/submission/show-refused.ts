import { cutText, type RefusedInputs } from '@gleaner/contracts';
import type { RefusedInput } from './run-inputs.ts';

const MAX_SHOWN = 100;
const MAX_INPUT_LENGTH = 500;

/** Adds an invalid input to those that an answer shows. */
export function showRefused(shown: RefusedInputs['refused'], { index, value, detail }: RefusedInput): void {
  if (shown.length >= MAX_SHOWN) return;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  shown.push({ index, input: cutText(text, MAX_INPUT_LENGTH), detail });
}
