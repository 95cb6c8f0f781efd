import type { Json } from '../json/jsonpath.ts';

/** Without NUL and lone surrogates, which neither Postgres nor JSON readers take. */
export function cleanText(text: string): string {
  const sound = text.isWellFormed() ? text : text.toWellFormed();
  return sound.includes('\0') ? sound.replaceAll('\0', '') : sound;
}

/** The value with all its texts and names clean; depth is bounded by the reader. */
export function cleanJson(value: Json): Json {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (value === null || typeof value !== 'object') return value;
  const clean: { [key: string]: Json } = {};
  for (const [key, item] of Object.entries(value)) {
    Object.defineProperty(clean, cleanText(key), {
      value: cleanJson(item),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return clean;
}
