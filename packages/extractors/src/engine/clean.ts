import type { Json } from '../json/jsonpath.ts';

/** Removes NUL and lone surrogates, which Postgres and JSON readers reject. */
export function cleanText(text: string): string {
  const sound = text.isWellFormed() ? text : text.toWellFormed();
  return sound.includes('\0') ? sound.replaceAll('\0', '') : sound;
}

/** Cleans all texts and names of a value. The reader has bounded its depth. */
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
