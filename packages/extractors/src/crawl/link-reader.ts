import { MAX_CRAWL_URL_LENGTH } from '@gleaner/contracts/values';
import { linkLine, type LineRules, type LinkKind } from './link-line.ts';
import type { Normalise } from './normalise.ts';

/** Characters that one crawl remembers in a thread, of links and of lines each. */
const MAX_CHARACTERS = 4_000_000;

/** What a crawl makes of links. */
export interface LinkReader {
  /** The address that the text of a link names, normalised; null: no page. */
  addressOf(href: string, base: string | undefined): string | null;
  /** The line of a normalised address, as `linkLine` writes it. */
  lineOf(kind: LinkKind, address: string): string;
}

const WITH_HOST = /^https?:\/\//i;
/** A path whose first character is neither removed nor special. */
const RELATIVE = /^[\w.~%-][^:]*$/;
const HTTP_BASE = /^https?:\/\/[^/?#]+/i;

/**
 * What a link means depends on this part of the base alone: nothing, its host, its folder. Undefined: on more, as with
 * `?page=2`.
 */
function dependsOn(href: string, base: string | undefined): string | undefined {
  if (WITH_HOST.test(href)) return '';
  const host = base === undefined ? undefined : HTTP_BASE.exec(base)?.[0];
  if (host === undefined || base === undefined) return undefined;
  if (href.startsWith('/')) return host;
  if (!RELATIVE.test(href)) return undefined;
  const path = /^[^?#]*/.exec(base)?.[0] ?? '';
  return path.slice(0, Math.max(path.lastIndexOf('/') + 1, host.length));
}

/** What was read for a key, until it takes much memory. */
function remember<T extends string | null>(): (key: string, read: () => T) => T {
  const known = new Map<string, T>();
  let characters = 0;
  return (key, read) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = read();
    characters += key.length + (made?.length ?? 0);
    if (characters > MAX_CHARACTERS) {
      known.clear();
      characters = 0;
    }
    known.set(key, made);
    return made;
  };
}

/** Remembers what it read: most links of a site are on many of its pages. */
export function createLinkReader(rules: LineRules & { normalise: Normalise }): LinkReader {
  const addresses = remember<string | null>();
  const lines = remember<string>();
  return {
    addressOf: (href, base) => {
      const needed = dependsOn(href, base);
      if (needed === undefined || href.length > MAX_CRAWL_URL_LENGTH) return rules.normalise(href, base);
      return addresses(`${needed} ${href}`, () => rules.normalise(href, base));
    },
    lineOf: (kind, address) => lines(kind + address, () => linkLine(kind, address, rules)),
  };
}
