import { shortenText } from '@gleaner/contracts';
/** The result of reading a text as a type. `absent`: there is nothing to read, which is not an error. */
export type Reading<T> =
  /** `note`: what a person should know of the reading, for `explain`. */
  { state: 'value'; value: T; note?: string } | { state: 'absent' } | { state: 'invalid'; reason: string };

export const ABSENT: Reading<never> = { state: 'absent' };

export function valueReading<T>(value: T): { state: 'value'; value: T } {
  return { state: 'value', value };
}

/** The text in quotation marks, shortened. */
export function quote(text: string): string {
  return `“${shortenText(text, 57).replaceAll(/\s+/g, ' ')}”`;
}

/** “Call us” is not a number */
export function invalidReading(text: string, why: string): Reading<never> {
  return {
    state: 'invalid',
    reason: `${quote(text)} ${why}`,
  };
}
