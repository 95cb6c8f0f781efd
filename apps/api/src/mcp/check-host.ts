import { isIP } from 'node:net';
import { AppError } from '@gleaner/contracts';
import { localhostAllowedOrigins, validateOriginHeader } from '@modelcontextprotocol/server';
import type { IncomingHttpHeaders } from 'node:http';

export interface KnownHosts {
  /** HOST: the address or name that the API listens on. */
  host: string;
  /** GLEANER_PUBLIC_URL. */
  publicUrl: string | undefined;
  /** GLEANER_CORS_ORIGINS. */
  corsOrigins: readonly string[];
}

function hostnameOf(host: string): string | undefined {
  const text = `http://${host}`;
  return URL.canParse(text) ? new URL(text).hostname : undefined;
}

/**
 * Refuses requests that a page of a foreign site had a browser send, also through a name that leads to this machine
 * (DNS rebinding). A name must be a known one; an address can't be rebound.
 * @throws AppError forbidden_host
 */
export function checkHost(headers: IncomingHttpHeaders, known: KnownHosts): void {
  const name = hostnameOf(headers.host ?? '');
  const publicName = known.publicUrl === undefined ? undefined : new URL(known.publicUrl).hostname;
  const isAddress = name !== undefined && isIP(name.replaceAll(/[[\]]/g, '')) !== 0;
  if (
    name === undefined ||
    !(isAddress || ['localhost', publicName, hostnameOf(known.host)].includes(name))
  ) {
    throw new AppError('forbidden_host', {
      field: 'Host',
      detail: `${JSON.stringify(headers.host ?? '')} is not a name of this service`,
    });
  }
  const { origin } = headers;
  if (origin === undefined || known.corsOrigins.includes(origin)) return;
  if (known.publicUrl !== undefined && origin === new URL(known.publicUrl).origin) return;
  if (validateOriginHeader(origin, localhostAllowedOrigins()).ok) return;
  throw new AppError('forbidden_host', {
    field: 'Origin',
    detail: `pages of ${JSON.stringify(origin)} may not call this service`,
  });
}
