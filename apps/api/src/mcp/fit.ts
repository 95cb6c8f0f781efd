import { cutText } from '@gleaner/contracts';
/** A value that fits its budget. */
export interface Fitted {
  value: unknown;
  /** How many characters of texts, and elements of lists, were left out; 0 when it is whole. */
  leftOut: number;
}

/** Keys that a client sends back as they are. */
const WHOLE = new Set(['cursor', 'pagination', 'id']);

interface Caps {
  characters: number;
  elements: number;
}

/** The same value with texts and lists cut to the caps; types stay, so that it still fits its schema. */
function cut(value: unknown, caps: Caps, count: (leftOut: number) => void): unknown {
  if (typeof value === 'string') {
    if (value.length <= caps.characters) return value;
    count(value.length - caps.characters);
    return `${cutText(value, caps.characters)}…`;
  }
  if (Array.isArray(value)) {
    count(Math.max(0, value.length - caps.elements));
    return value.slice(0, caps.elements).map((element) => cut(element, caps, count));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, WHOLE.has(key) ? inner : cut(inner, caps, count)]),
  );
}

/**
 * Cuts long texts and lists until the value as JSON fits the number of characters. An object of very many short
 * fields may stay larger.
 */
export function fit(value: unknown, maxCharacters: number): Fitted {
  let fitted: Fitted = { value, leftOut: 0 };
  const caps = { characters: maxCharacters, elements: Math.ceil(maxCharacters / 4) };
  while (sizeOf(fitted.value) > maxCharacters && caps.characters > 20) {
    let leftOut = 0;
    const smaller = cut(fitted.value, caps, (some) => (leftOut += some));
    fitted = { value: smaller, leftOut: fitted.leftOut + leftOut };
    caps.characters = Math.floor(caps.characters / 2);
    caps.elements = Math.max(1, Math.floor(caps.elements / 2));
  }
  return fitted;
}

/** Characters of the value as JSON. */
export function sizeOf(value: unknown): number {
  return (JSON.stringify(value) ?? '').length;
}
