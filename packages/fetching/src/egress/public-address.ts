import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function range(text: string): [Address, number] {
  return ipaddr.parseCIDR(text);
}

/**
 * Networks that ipaddr.js classifies as unicast and that no fetch may reach: cloud wire servers, IETF assignments,
 * transition prefixes that can embed a private IPv4 address, and segment routing.
 * Source: IANA special-purpose address registries; Azure documents 168.63.129.16.
 */
const FURTHER_REFUSED: readonly [Address, number][] = [
  range('168.63.129.16/32'),
  range('192.0.0.0/24'),
  range('192.88.99.0/24'),
  range('64:ff9b::/96'),
  range('64:ff9b:1::/48'),
  range('2001::/23'),
  range('2002::/16'),
  range('3fff::/20'),
  range('5f00::/16'),
  range('fec0::/10'),
];

/** The IPv6 range that IANA allocates for global unicast. All other IPv6 addresses are refused. */
const GLOBAL_UNICAST_V6 = range('2000::/3');

function isWithin(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** Parses an address in canonical notation. IPv4-mapped IPv6 becomes IPv4. `undefined` for anything else. */
export function parseAddress(text: string): Address | undefined {
  if (text.includes('%') || !ipaddr.isValid(text)) return undefined;
  return ipaddr.process(text);
}

/** Whether every account may fetch from the address: global unicast outside the special networks. */
export function isPublicAddress(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv6' && !isWithin(address, GLOBAL_UNICAST_V6)) return false;
  return !FURTHER_REFUSED.some((network) => isWithin(address, network));
}

export { isWithin, type Address };
