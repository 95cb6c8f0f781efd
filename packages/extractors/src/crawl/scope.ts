import type { CrawlScope } from '@gleaner/contracts';
import { getDomain } from 'tldts';
import { climbs, type Address } from './normalise.ts';
import type { AddressTest } from './patterns.ts';

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
  return ({ host }) => sites.has(siteOf(host));
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
