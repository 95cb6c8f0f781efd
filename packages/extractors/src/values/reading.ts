import { shortenText } from '@gleaner/contracts/text';

export interface ValueReading<T> {
  state: 'value';
  value: T;
  /** What a person should know of the reading, for `explain`. */
  note?: string;
  /** The text counts from the time of the fetch: the length of its smallest unit. */
  unitSeconds?: number;
}

/** The result of reading a text as a type. */
export type Reading<T> =
  | ValueReading<T>
  /** There is nothing to read, which is not an error, or with a `reason` nothing that is certain. */
  | { state: 'absent'; reason?: string }
  | { state: 'invalid'; reason: string };

export const ABSENT: Reading<never> = { state: 'absent' };

export function valueReading<T>(value: T, note?: string): ValueReading<T> {
  return note === undefined ? { state: 'value', value } : { state: 'value', value, note };
}

/** What is said of a text: “Call us” is not a number */
export function say(text: string, what: string): string {
  return `“${shortenText(text, 57).replaceAll(/\s+/g, ' ')}” ${what}`;
}

export function invalidReading(text: string, why: string): { state: 'invalid'; reason: string } {
  return { state: 'invalid', reason: say(text, why) };
}
