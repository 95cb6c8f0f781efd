import { AppError } from '@gleaner/contracts';
import { LRUCache } from 'lru-cache';
import { canonicalHost, isAllowedAddress, type EgressAllow } from './egress-allow.ts';
import { isPublicAddress, parseAddress } from './public-address.ts';
import { createHostResolver, isAbsent, type ResolveHost } from './resolve-host.ts';

/** A checked address that the connection must use. */
export interface PinnedAddress {
  address: string;
  family: 4 | 6;
}

/** `web`: pages and webhooks; ports of other protocols are refused. `any`: external databases. */
export type EgressPurpose = 'web' | 'any';

export interface EgressGuard {
  /**
   * Decides about an outgoing connection: resolves all addresses of `host`, refuses when any of them is not allowed,
   * and returns the addresses to connect to. Throws `fetch_failed` with one text for every refusal.
   */
  decide(host: string, port: number, purpose?: EgressPurpose): Promise<readonly PinnedAddress[]>;
}

export interface EgressGuardOptions {
  allow: EgressAllow;
  /** Default: DNS queries and /etc/hosts, see `createHostResolver`. */
  resolve?: ResolveHost;
  /** How long resolved addresses stay pinned. Default 10 s. */
  pinMs?: number;
  now?: () => number;
}

const MAX_CACHED_HOSTS = 10_000;

/** Ports of other protocols: those that browsers refuse, and databases and debuggers. */
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

/** Names that never belong to the public internet, regardless of what the resolver returns. */
function isInnerName(host: string): boolean {
  return !host.includes('.') || /\.(localhost|local|internal|intranet|lan|home\.arpa|corp|home)$/.test(host);
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

/** RFC 6761: loopback names are resolved without a query. */
const LOOPBACK = ['127.0.0.1', '::1'];

/** The host as a WHATWG URL reads it, so that no other parser reads a different one; `undefined` if invalid. */
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

/** Resolved addresses, pinned for `pinMs` and shared by concurrent callers. */
function pinAddresses(resolve: ResolveHost, pinMs: number, now: () => number): ResolveHost {
  const hosts = new LRUCache<string, readonly string[]>({
    max: MAX_CACHED_HOSTS,
    ttl: pinMs,
    ttlResolution: 0,
    perf: { now },
    ignoreFetchAbort: true,
    fetchMethod: (host) => resolve(host),
  });
  return (host) => hosts.forceFetch(host);
}

/** Builds the guard. Every outgoing connection needs its decision. */
export function createEgressGuard(options: EgressGuardOptions): EgressGuard {
  const { allow } = options;
  const resolvePinned = pinAddresses(
    options.resolve ?? createHostResolver(),
    options.pinMs ?? 10_000,
    options.now ?? Date.now,
  );

  const resolveName = async (host: string, isInner: boolean): Promise<readonly string[]> => {
    try {
      return await resolvePinned(host);
    } catch (error) {
      if (isInner) throw refused();
      throw new AppError('fetch_failed', {
        detail: `the host name ${host} does not resolve`,
        retryable: !isAbsent(error),
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

  return { decide: (host, port, purpose = 'web') => check(host, port, purpose) };
}

/**
 * The address for a client library that makes its own connections (postgres.js to an external database). Connect to it
 * and use `host` for TLS. Throws `fetch_failed` when the host is not allowed.
 */
export async function guardedAddress(guard: EgressGuard, host: string, port: number): Promise<PinnedAddress> {
  const [first] = await guard.decide(host, port, 'any');
  if (first === undefined) throw refused();
  return first;
}
