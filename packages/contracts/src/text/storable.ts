function isUnstorable(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}

/** The error text for a value that findUnstorable reports. */
export const UNSTORABLE = 'contains a NUL character or half of a surrogate pair, which Postgres cannot store';

/**
 * Finds a character in a value that Postgres can't store in text: NUL, or half of a surrogate pair.
 * @returns the path (`urls[3]`, empty for the value itself), or undefined
 */
export function findUnstorable(value: unknown, at = ''): string | undefined {
  const steps = stepsToUnstorable(value);
  return steps?.reduceRight<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`;
    return path === '' ? step : `${path}.${step}`;
  }, at);
}

/** The last step first. Only what is found costs a text. */
function stepsToUnstorable(value: unknown): (string | number)[] | undefined {
  if (typeof value === 'string') return isUnstorable(value) ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const steps = stepsToUnstorable(value[index]);
      if (steps) return [...steps, index];
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (isUnstorable(key)) return [];
    const steps = stepsToUnstorable((value as Record<string, unknown>)[key]);
    if (steps) return [...steps, key];
  }
  return undefined;
}

/** Removes characters that Postgres can't store: NUL is dropped, and a lone surrogate becomes U+FFFD. */
export function toStorableText(text: string): string {
  const sound = text.isWellFormed() ? text : text.toWellFormed();
  return sound.includes('\0') ? sound.replaceAll('\0', '') : sound;
}

/** A time as ISO 8601 in UTC with milliseconds. Undefined: no time, or not in the years 1 to 9999, which ISO 8601 and Postgres write alike. */
export function toStorableTime(time: Date): string | undefined {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999 ? time.toISOString() : undefined;
}

function toStorable(value: unknown): unknown {
  if (typeof value === 'string') return toStorableText(value);
  if (Array.isArray(value)) return value.map(toStorable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [toStorableText(name), toStorable(inner)]),
  );
}

/** Cleans all texts and names of a JSON value, as `toStorableText` does. Its depth must be bounded. */
export function toStorableValue<T>(value: T): T {
  return toStorable(value) as T;
}

/** An escape of a NUL or of a surrogate. JSON.stringify escapes only lone surrogates; the text of a site may escape pairs. */
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i;
/** Complete escapes, so that `\\u0000` is a backslash and a text. */
const ESCAPE = /\\u(d[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|0000|d[89a-f][\da-f]{2})|\\[^]/gi;

/** JSON text that jsonb accepts, of JSON text. Everything else stays as it is: order, numbers and spaces. */
export function toStorableJsonText(text: string): string {
  const sound = toStorableText(text);
  if (!SUSPICIOUS.test(sound)) return sound;
  return sound.replaceAll(ESCAPE, (escape, code: string | undefined) => {
    if (code === undefined || code.length > 4) return escape;
    return code === '0000' ? '' : '\\ufffd';
  });
}

/** JSON text that jsonb accepts. Every value that goes to Postgres as JSON goes through this function. */
export function toStorableJson(value: unknown): string {
  return toStorableJsonText(JSON.stringify(value));
}

/** The first `length` UTF-16 units of a text at most, without half of a surrogate pair at the end. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, isSplit ? length - 1 : length);
}

/** The text, or its beginning and an ellipsis when it is longer than `length` UTF-16 units. */
export function shortenText(text: string, length: number): string {
  return text.length > length ? `${cutText(text, length)}…` : text;
}
