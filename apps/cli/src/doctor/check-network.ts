import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { proxiesByTier, type ProxyConfig } from '@gleaner/core/config';
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
    const found = `${PUBLIC_NAME} does not resolve (${codeOf(error)})`;
    return [fault('egress', found, 'Check the resolvers of this machine (/etc/resolv.conf).')];
  }
  try {
    await open(address);
  } catch (error) {
    const found = `${PUBLIC_NAME} (${address}) refuses port ${PORT} (${codeOf(error)})`;
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

function open(host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: PORT, timeout: CONNECT_MS });
    const end = (error?: Error): void => {
      socket.destroy();
      if (error === undefined) resolve();
      else reject(error);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end(new Error(`no answer within ${CONNECT_MS / 1000} s`)));
    socket.once('error', end);
  });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
