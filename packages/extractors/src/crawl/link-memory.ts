import { MAX_CRAWL_URL_LENGTH } from '@gleaner/contracts/values';
import { LRUCache } from 'lru-cache';
import { linkLine, type LineRules, type LinkKind } from './link-line.ts';
import type { Normalise } from './normalise.ts';

/** Bytes that one crawl remembers in a thread, of links and of lines each. A thread has 512 MB for all that it knows. */
const MAX_BYTES = 1_000_000;
/** What an entry takes beside its characters. */
const ENTRY_BYTES = 150;

/** What a crawl makes of links. */
export interface LinkMemory {
  /** The address that the text of a link names, normalised; null: no page. */
  addressOf(href: string, base: string | undefined): string | null;
  /** The line of a normalised address, as `linkLine` writes it. */
  lineOf(kind: LinkKind, address: string): string;
}

const WITH_HOST = /^https?:\/\//i;
/** A path whose first character is neither removed nor special. */
const RELATIVE = /^[\w.~%-][^:]*$/;
/** What moves the end of a folder in a base that is not normalised: \, white space, `..`. */
const UNCLEAR = /[\\\s]|\/(?:\.|%2e)/i;
const HTTP_BASE = /^https?:\/\/[^/?#]+/i;

/**
 * What a link means depends on this part of the base alone: nothing, its host, its folder. Undefined: on more, as with
 * `?page=2`.
 */
function dependsOn(href: string, base: string | undefined): string | undefined {
  if (WITH_HOST.test(href)) return '';
  if (base === undefined) return undefined;
  const host = HTTP_BASE.exec(base)?.[0];
  if (host === undefined) return undefined;
  if (href.startsWith('/')) return host;
  if (!RELATIVE.test(href)) return undefined;
  const path = /^[^?#]*/.exec(base)?.[0] ?? '';
  if (UNCLEAR.test(path)) return undefined;
  return path.slice(0, Math.max(path.lastIndexOf('/') + 1, host.length));
}

/** Remembers what it read: most links of a site are on many of its pages. */
export function createLinkMemory(rules: LineRules & { normalise: Normalise }): LinkMemory {
  const addresses = new LRUCache<string, { address: string | null }>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ address }, key) => ENTRY_BYTES + key.length + (address?.length ?? 0),
  });
  const lines = new LRUCache<string, string>({
    maxSize: MAX_BYTES,
    sizeCalculation: (line, key) => ENTRY_BYTES + key.length + line.length,
  });
  return {
    addressOf: (href, base) => {
      const needed = dependsOn(href, base);
      if (needed === undefined || href.length > MAX_CRAWL_URL_LENGTH) return rules.normalise(href, base);
      const key = `${needed} ${href}`;
      let known = addresses.get(key);
      if (known === undefined) {
        known = { address: rules.normalise(href, base) };
        addresses.set(key, known);
      }
      return known.address;
    },
    lineOf: (kind, address) => {
      const key = kind + address;
      let line = lines.get(key);
      if (line === undefined) {
        line = linkLine(kind, address, rules);
        lines.set(key, line);
      }
      return line;
    },
  };
}
