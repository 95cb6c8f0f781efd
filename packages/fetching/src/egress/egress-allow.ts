import ipaddr from 'ipaddr.js';
import { isWithin, parseAddress, type Address } from './public-address.ts';

/** Targets beyond the public internet that the operator allows. */
export interface EgressAllow {
  readonly networks: readonly (readonly [Address, number])[];
  /** Entries as `host:port` with the host in canonical form. */
  readonly hostPorts: ReadonlySet<string>;
}

/** Allows only the public internet. */
export const NOTHING_ALLOWED: EgressAllow = { networks: [], hostPorts: new Set() };

function faulty(entry: string, why: string): Error {
  return new Error(
    `GLEANER_EGRESS_ALLOW: "${entry}" ${why}; write CIDRs (10.0.0.0/8, ::1/128) or host:port (intranet:8080)`,
  );
}

function parseNetwork(entry: string): readonly [Address, number] {
  if (!ipaddr.isValidCIDR(entry)) throw faulty(entry, 'is not a network');
  return ipaddr.parseCIDR(entry);
}

function parseHostPort(entry: string): string {
  let url: URL;
  try {
    url = new URL(`http://${entry}`);
  } catch {
    throw faulty(entry, 'is neither a CIDR nor host:port');
  }
  const port = /:(\d{1,5})$/.exec(entry)?.[1];
  if (port === undefined || url.username !== '' || url.pathname !== '/' || url.search !== '') {
    throw faulty(entry, 'is neither a CIDR nor host:port');
  }
  return `${canonicalHost(url.hostname)}:${Number(port)}`;
}

/** A URL's host in lower case, without brackets and trailing dot. */
export function canonicalHost(hostname: string): string {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return (bare.endsWith('.') ? bare.slice(0, -1) : bare).toLowerCase();
}

/**
 * Parses `GLEANER_EGRESS_ALLOW`: entries separated by commas or blanks, each a CIDR (`10.1.0.0/16`, `::1/128`; a
 * bare address means only itself) or `host:port`. Throws an Error that names the faulty entry.
 */
export function parseEgressAllow(text: string | undefined): EgressAllow {
  const networks: (readonly [Address, number])[] = [];
  const hostPorts = new Set<string>();
  for (const entry of (text ?? '').split(/[\s,;]+/).filter((part) => part !== '')) {
    const address = parseAddress(entry);
    if (address !== undefined) networks.push([address, address.kind() === 'ipv4' ? 32 : 128]);
    else if (entry.includes('/')) networks.push(parseNetwork(entry));
    else hostPorts.add(parseHostPort(entry));
  }
  return { networks, hostPorts };
}

/** Whether the operator allows this address on this port. */
export function isAllowedAddress(allow: EgressAllow, address: Address, port: number): boolean {
  return (
    allow.networks.some(([network, bits]) => isWithin(address, [network, bits])) ||
    (allow.hostPorts.size > 0 && allow.hostPorts.has(`${address.toString()}:${port}`))
  );
}
