import { compileWildcards } from '../text/wildcards.ts';
import type { Fields } from './field-shape.ts';
import { sourcesOf } from './sources-of.ts';

/**
 * Whether the address of a response matches the pattern of an `xhr` source. `*` matches any characters, also none. A
 * pattern that starts with `/` is compared with path and query, any other with the whole address. The fragment is
 * ignored. Takes time linear in the address for each `*`.
 */
export function matchesUrlPattern(pattern: string, address: string): boolean {
  const whole = address.replace(/#.*$/s, '');
  const text = pattern.startsWith('/') ? whole.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '') : whole;
  return compileWildcards(pattern)(text);
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
