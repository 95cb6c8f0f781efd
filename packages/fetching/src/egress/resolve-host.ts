import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { withTimeout } from '@gleaner/contracts';

/** All addresses of a name; IPv4 comes first. Fails with the codes of `node:dns`, such as ENOTFOUND. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** The machine's own names and its search domains. */
export interface NameSettings {
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  readonly search: readonly string[];
  readonly resolver: Resolver;
}

/** How long a server may take for the first answer; the second try waits twice as long. */
const QUERY_MS = 2_000;
const TRIES = 2;
/** The time for one name, with all its servers and search domains. */
const LOOKUP_MS = 9_000;
/** How often /etc/hosts and /etc/resolv.conf are read again. */
const SETTINGS_MS = 30_000;
/** As in resolv.conf(5) of the GNU C library. */
const MAX_SEARCH = 6;

async function linesOf(file: string): Promise<string[][]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').map((line) => {
    const [content = ''] = line.split(/[#;]/, 1);
    return content.split(/\s+/).filter((word) => word !== '');
  });
}

async function readHosts(): Promise<Map<string, string[]>> {
  const hosts = new Map<string, string[]>();
  for (const [address, ...names] of await linesOf('/etc/hosts')) {
    if (address === undefined) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      const known = hosts.get(key) ?? [];
      // Node accepts no address with a zone (fe80::1%lo0).
      if (!address.includes('%')) hosts.set(key, [...known, address]);
    }
  }
  return hosts;
}

async function readSearch(): Promise<string[]> {
  const found = (await linesOf('/etc/resolv.conf')).findLast(([key]) => key === 'search' || key === 'domain');
  return (found ?? []).slice(1, 1 + MAX_SEARCH).map((domain) => domain.replace(/\.$/, ''));
}

async function readSettings(): Promise<NameSettings> {
  const [hosts, search] = await Promise.all([readHosts(), readSearch()]);
  return { hosts, search, resolver: new Resolver({ timeout: QUERY_MS, tries: TRIES }) };
}

/** The addresses of one full name. An answer for one family is enough. */
async function query(resolver: Resolver, name: string): Promise<string[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value : []),
    ...(six.status === 'fulfilled' ? six.value : []),
  ];
  if (found.length > 0) return found;
  // A name that exists has ENODATA for the family that it lacks; a fault of the servers counts before that.
  const errors = [four, six].flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  throw errors.find((error) => !isAbsent(error)) ?? errors[0];
}

/** Whether the servers answered that the name has no addresses. */
export function isAbsent(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA')
  );
}

async function resolveWith(
  { hosts, search, resolver }: NameSettings,
  host: string,
): Promise<readonly string[]> {
  const known = hosts.get(host);
  if (known !== undefined) return known.toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':')));
  const inSearch = search.map((domain) => `${host}.${domain}`);
  const names = host.includes('.') ? [host, ...inSearch] : [...inSearch, host];
  let last: unknown;
  for (const name of names) {
    try {
      return await query(resolver, name);
    } catch (error) {
      last = error;
      if (!isAbsent(error)) break;
    }
  }
  throw last;
}

/**
 * Resolves names with DNS queries of its own (c-ares) and /etc/hosts, with the servers and search domains of
 * /etc/resolv.conf. The system's function getaddrinfo holds one of the few threads of the process for each name, so
 * that a few names without an answer would stop all others. A lookup ends after 9 s. `read` gives the machine's settings.
 */
export function createHostResolver(
  read: () => Promise<NameSettings> = readSettings,
  limitMs = LOOKUP_MS,
): ResolveHost {
  let settings: Promise<NameSettings> | undefined;
  let readAt = 0;
  return async (host) => {
    if (settings === undefined || performance.now() - readAt > SETTINGS_MS) {
      settings = read();
      readAt = performance.now();
    }
    return withTimeout(resolveWith(await settings, host), limitMs, () => {
      throw Object.assign(new Error(`no answer about ${host}`), { code: 'ETIMEOUT' });
    });
  };
}
