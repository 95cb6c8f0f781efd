import type dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { PinnedAddress } from './index.ts';

/** A DNS lookup that always returns the addresses that the guard has checked. */
export function createPinnedLookup(addresses: readonly PinnedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** proxy-chain hands its lookup to Node's sockets, which always call it with options and a callback. */
export function asDnsLookup(lookup: LookupFunction): typeof dns.lookup {
  return lookup as typeof dns.lookup;
}
