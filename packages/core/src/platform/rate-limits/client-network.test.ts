import { expect, it } from 'vitest';
import { clientNetwork } from './client-network.ts';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::ffff:192.0.2.33', '192.0.2.33'],
  ['::ffff:c000:221', '192.0.2.33'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ['not an address', 'not an address'],
])('limits by address count %s as %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
