import { lookup } from 'node:dns/promises';
import { AppError } from '@gleaner/contracts';
import { canonicalHost, isAllowedAddress, type EgressAllow } from './egress-allow.ts';
import { isPublicAddress, parseAddress } from './public-address.ts';

/** An address that was checked and that the connection must use. */
export interface PinnedAddress {
  address: string;
  family: 4 | 6;
}

/** `web`: pages and webhooks, the ports of other protocols refused. `any`: external databases. */
export type EgressPurpose = 'web' | 'any';

/** All addresses of a name, as the system resolves it. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export interface EgressGuard {
  /**
   * The one decision about outgoing connections: resolves every address of `host`, refuses if any of them may
   * not be reached, and gives those to connect to. Throws `fetch_failed`: one opaque text for everything refused.
   */
  decide(host: string, port: number, purpose?: EgressPurpose): Promise<readonly PinnedAddress[]>;
  stats(): { decided: number; refused: number; cachedHosts: number };
}

export interface EgressGuardOptions {
  allow: EgressAllow;
  /** Default: the system's resolver (getaddrinfo). */
  resolve?: ResolveHost;
  /** How long an answer stays pinned. Default 10 s. */
  pinMs?: number;
  now?: () => number;
}

const MAX_CACHED_HOSTS = 10_000;

/** Ports where something other than a web server listens: browsers refuse most of them, we the databases too. */
const REFUSED_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 445, 465, 512, 513, 514,
  515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1433, 1521, 1719, 1720,
  1723, 2049, 2375, 2376, 2379, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666,
  6667, 6668, 6669, 6679, 6697, 9222, 9229, 10080, 10250, 11211, 27017,
]);

function refused(): AppError {
  return new AppError('fetch_failed', {
    detail: 'target not allowed',
    hint: 'Only public addresses are fetched; the operator can open others with GLEANER_EGRESS_ALLOW.',
    retryable: false,
  });
}

/** Names that never mean the public internet, whatever a resolver answers for them. */
function isInnerName(host: string): boolean {
  return !host.includes('.') || /\.(localhost|local|internal|intranet|lan|home\.arpa|corp|home)$/.test(host);
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

const systemResolve: ResolveHost = async (host) =>
  (await lookup(host, { all: true, order: 'ipv4first' })).map(({ address }) => address);

/** RFC 6761: loopback names are answered without asking anyone. */
const LOOPBACK = ['127.0.0.1', '::1'];

function isUnresolved(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA')
  );
}

/** The host as a WHATWG URL would read it (so that no other parser ever sees another one), or `undefined`. */
function readHost(host: string): string | undefined {
  try {
    const bare = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
    const { hostname, username, pathname, search, port } = new URL(`http://${bare}/`);
    if (username !== '' || pathname !== '/' || search !== '' || port !== '') return undefined;
    return canonicalHost(hostname);
  } catch {
    return undefined;
  }
}

interface CachedHost {
  expiresAt: number;
  addresses: Promise<readonly string[]>;
}

/** Answers of the resolver, pinned for a while and asked once for many callers. */
function createResolverCache(resolve: ResolveHost, pinMs: number, now: () => number) {
  const hosts = new Map<string, CachedHost>();

  const evict = (): void => {
    const time = now();
    for (const [host, { expiresAt }] of hosts) if (expiresAt <= time) hosts.delete(host);
    for (const host of hosts.keys()) {
      if (hosts.size < MAX_CACHED_HOSTS) return;
      hosts.delete(host);
    }
  };

  const get = (host: string): Promise<readonly string[]> => {
    const cached = hosts.get(host);
    if (cached !== undefined && cached.expiresAt > now()) return cached.addresses;
    if (hosts.size >= MAX_CACHED_HOSTS) evict();
    const entry: CachedHost = { expiresAt: now() + pinMs, addresses: resolve(host) };
    hosts.set(host, entry);
    entry.addresses.catch(() => {
      if (hosts.get(host) === entry) hosts.delete(host);
    });
    return entry.addresses;
  };

  return { get, size: () => hosts.size };
}

/** Builds the guard. Everything that opens a connection to the outside asks it first. */
export function createEgressGuard(options: EgressGuardOptions): EgressGuard {
  const { allow } = options;
  const cache = createResolverCache(
    options.resolve ?? systemResolve,
    options.pinMs ?? 10_000,
    options.now ?? Date.now,
  );
  const counts = { decided: 0, refused: 0 };

  const resolveName = async (host: string, isInner: boolean): Promise<readonly string[]> => {
    try {
      return await cache.get(host);
    } catch (error) {
      if (isInner) throw refused();
      throw new AppError('fetch_failed', {
        detail: `the host name ${host} does not resolve`,
        retryable: !isUnresolved(error),
        cause: error,
      });
    }
  };

  const check = async (
    given: string,
    port: number,
    purpose: EgressPurpose,
  ): Promise<readonly PinnedAddress[]> => {
    const host = readHost(given);
    if (host === undefined || host === '' || !Number.isInteger(port) || port < 1 || port > 65_535)
      throw refused();
    const isHostPortAllowed = allow.hostPorts.has(`${host}:${port}`);
    if (purpose === 'web' && REFUSED_PORTS.has(port) && !isHostPortAllowed) throw refused();

    const mayReach = (address: string, isPublicEnough: boolean): boolean => {
      const parsed = parseAddress(address);
      if (parsed === undefined) return false;
      return (
        isHostPortAllowed ||
        isAllowedAddress(allow, parsed, port) ||
        (isPublicEnough && isPublicAddress(parsed))
      );
    };
    const pin = (address: string): PinnedAddress => {
      const parsed = parseAddress(address);
      return { address: parsed?.toString() ?? address, family: parsed?.kind() === 'ipv6' ? 6 : 4 };
    };

    if (parseAddress(host) !== undefined) {
      if (!mayReach(host, true)) throw refused();
      return [pin(host)];
    }
    if (isLoopbackName(host)) {
      const open = LOOPBACK.filter((address) => mayReach(address, false));
      if (open.length === 0) throw refused();
      return open.map(pin);
    }
    const isInner = isInnerName(host);
    const addresses = await resolveName(host, isInner);
    if (addresses.length === 0 || !addresses.every((address) => mayReach(address, !isInner))) throw refused();
    return addresses.map(pin);
  };

  return {
    decide: async (host, port, purpose = 'web') => {
      counts.decided += 1;
      try {
        return await check(host, port, purpose);
      } catch (error) {
        counts.refused += 1;
        throw error;
      }
    },
    stats: () => ({ ...counts, cachedHosts: cache.size() }),
  };
}

/**
 * The address to hand to a client library that connects by itself (postgres.js to an external database): connect
 * to it, and keep `host` for TLS. Throws `fetch_failed` when the host may not be reached.
 */
export async function guardedAddress(guard: EgressGuard, host: string, port: number): Promise<PinnedAddress> {
  const [first] = await guard.decide(host, port, 'any');
  if (first === undefined) throw refused();
  return first;
}
