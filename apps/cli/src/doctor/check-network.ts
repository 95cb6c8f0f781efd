import { lookup } from 'node:dns/promises';
import { proxiesByTier, type ProxyConfig } from '@gleaner/core/config';
import { reachPort, reasonOf } from '../reach-port.ts';
import { fault, ok, type Finding } from './finding.ts';

/** IANA's documentation site: stable, public, and meant for such uses. */
const PUBLIC_NAME = 'example.com';
const PORT = 443;
const CONNECT_MS = 4_000;

/** Counts proxies. Faulty URLs are faults of the settings, and are not here. */
export function checkProxies(config: ProxyConfig): Finding[] {
  const found = Object.entries(proxiesByTier(config))
    .map(([tier, urls]) => `${tier} ${urls.length}`)
    .join(', ');
  return [ok('proxies', `configured: ${found}`)];
}

/** Resolves one public name and opens one TCP connection to it. */
export async function checkEgress(): Promise<Finding[]> {
  let address: string;
  try {
    ({ address } = await lookup(PUBLIC_NAME));
  } catch (error) {
    const found = `${PUBLIC_NAME} does not resolve (${reasonOf(error)})`;
    return [fault('egress', found, 'Check the resolvers of this machine (/etc/resolv.conf).')];
  }
  try {
    await reachPort({ host: address, port: PORT }, CONNECT_MS);
  } catch (error) {
    const found = `${PUBLIC_NAME} (${address}) refuses port ${PORT} (${reasonOf(error)})`;
    return [
      fault(
        'egress',
        found,
        'Allow outgoing TCP in the firewall; pages can only be fetched through proxies.',
      ),
    ];
  }
  return [ok('egress', `${PUBLIC_NAME} resolves and accepts connections`)];
}
