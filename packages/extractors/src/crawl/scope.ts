import type { CrawlScope } from '@gleaner/contracts';
import { LRUCache } from 'lru-cache';
import { getDomain } from 'tldts';
import type { Address } from './address.ts';
import { climbs } from './escapes.ts';
import type { AddressTest } from './patterns.ts';

/** Hosts whose site is remembered. */
const MAX_KNOWN_HOSTS = 1_000;

/**
 * The site of a host: its registrable domain by the public suffix list, with the suffixes of companies (`github.io`),
 * below which each name has an owner of its own. A host without one (an address, a bare name) is a site by itself.
 */
function siteOf(host: string): string {
  const name = host.replace(/:\d+$/, '');
  if (name.endsWith('.')) return host;
  return getDomain(name, { allowPrivateDomains: true, extractHostname: false }) ?? host;
}

function siteTest(start: readonly Address[]): AddressTest {
  const sites = new Set(start.map(({ host }) => siteOf(host)));
  const known = new LRUCache<string, boolean>({ max: MAX_KNOWN_HOSTS });
  return ({ host }) => {
    let isWithin = known.get(host);
    if (isWithin === undefined) {
      isWithin = sites.has(siteOf(host));
      known.set(host, isWithin);
    }
    return isWithin;
  };
}

function pathTest(start: readonly Address[]): AddressTest {
  const folders = new Map<string, Set<string>>();
  for (const { host, path } of start) {
    const known = folders.get(host) ?? new Set();
    folders.set(host, known.add(path.slice(0, path.lastIndexOf('/') + 1)));
  }
  return ({ host, path }) => {
    const known = folders.get(host);
    if (known === undefined || climbs(path)) return false;
    for (const folder of known) if (path.startsWith(folder)) return true;
    return false;
  };
}

/** Which addresses lie in the scope of the start pages. Every scope counts http and https as the same. */
export function compileScope(scope: CrawlScope, start: readonly Address[]): AddressTest {
  switch (scope) {
    case 'page': {
      const pages = new Set(start.map(({ whole }) => whole));
      return ({ whole }) => pages.has(whole);
    }
    case 'path':
      return pathTest(start);
    case 'host': {
      const hosts = new Set(start.map(({ host }) => host));
      return ({ host }) => hosts.has(host);
    }
    case 'site':
      return siteTest(start);
  }
}
