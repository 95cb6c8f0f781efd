import type { CrawlScope } from '@gleaner/contracts';
import { getDomain } from 'tldts';
import { climbs, splitAddress, type Address } from './normalise.ts';
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

/** The path of the folder that an address names, without a slash at its end: of a file (`a.html`), the one it is in. */
function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  let end = path.includes('.', slash) ? slash : path.length;
  while (end > 0 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

function pathTest(start: readonly Address[]): AddressTest {
  const folders = new Map<string, Set<string>>();
  for (const { host, path } of start) {
    const known = folders.get(host) ?? new Set();
    folders.set(host, known.add(folderOf(path)));
  }
  return ({ host, path }) => {
    const known = folders.get(host);
    if (known === undefined || climbs(path)) return false;
    for (const folder of known) if (path === folder || path.startsWith(`${folder}/`)) return true;
    return false;
  };
}

/** The folders that `scope: "path"` reads, each once: `https://shop.example/docs/`. Start pages are normalised. */
export function foldersOf(start: readonly string[]): string[] {
  const folders = start.map(splitAddress).map(({ whole, afterScheme, host, path }) => {
    const scheme = whole.slice(0, whole.length - afterScheme.length);
    return `${scheme}${host}${folderOf(path)}/`;
  });
  return [...new Set(folders)];
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
