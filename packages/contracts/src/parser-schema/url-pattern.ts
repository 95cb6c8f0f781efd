import type { Fields } from './field-shape.ts';
import { sourcesOf } from './sources-of.ts';

/** Whether the text contains the pieces in this order, the first at its start and the last at its end. */
function matchesPieces(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of rest) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

/**
 * Whether the address of a response matches the pattern of an `xhr` source. `*` matches any characters, also none. A
 * pattern that starts with `/` is compared with path and query, any other with the whole address. The fragment is
 * ignored. Takes time linear in the address for each `*`.
 */
export function matchesUrlPattern(pattern: string, address: string): boolean {
  const whole = address.replace(/#.*$/s, '');
  const text = pattern.startsWith('/') ? whole.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '') : whole;
  return matchesPieces(text, pattern.split('*'));
}

/**
 * The patterns of the responses that a schema reads, each once. A browser keeps only responses that match one of them.
 */
export function xhrPatterns({ fields }: { fields: Fields }): string[] {
  const patterns = new Set<string>();
  for (const { xhr, page } of sourcesOf(fields)) {
    if (xhr !== undefined) patterns.add(xhr.url);
    if (page === 'responses') patterns.add('*');
  }
  return [...patterns];
}
