/** What reading a text as a type gives. `absent`: there is nothing to read, which is no fault. */
export type Reading<T> =
  | { state: 'value'; value: T }
  | { state: 'absent' }
  | { state: 'invalid'; reason: string };

export const ABSENT: Reading<never> = { state: 'absent' };

export const valueReading = <T>(value: T): Reading<T> => ({ state: 'value', value });

const quote = (text: string): string => {
  const short = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  return `“${short.replaceAll(/\s+/g, ' ')}”`;
};

/** “Call us” is not a number */
export const invalidReading = (text: string, why: string): Reading<never> => ({
  state: 'invalid',
  reason: `${quote(text)} ${why}`,
});
