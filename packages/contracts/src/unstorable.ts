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
  if (typeof value === 'string') return isUnstorable(value) ? at : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (isUnstorable(key)) return at;
    const place = Array.isArray(value) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`;
    const found = findUnstorable(inner, place);
    if (found !== undefined) return found;
  }
  return undefined;
}
