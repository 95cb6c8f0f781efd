import { isIPv6 } from 'node:net';

/** The groups of an IPv6 address, as numbers. */
function groupsOf(address: string): number[] {
  const [unscoped = ''] = address.split('%', 1);
  const text = new URL(`http://[${unscoped}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [read(head), read(tail ?? '')];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

/**
 * What limits by address count: an IPv4 address, or the /64 network of an IPv6 address, because one client has all
 * addresses of its network. An IPv4 address within IPv6 counts as itself.
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  const [a = 0, b = 0] = groups.slice(6);
  if (isMapped) return [a >> 8, a & 255, b >> 8, b & 255].join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
