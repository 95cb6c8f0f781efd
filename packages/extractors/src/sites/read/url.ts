import type { InputFault, SiteInput } from '../types.ts';
import { filledAt } from './value.ts';

/** An absolute http address from a full, protocol-relative or rooted one; null for anything else. */
export function absoluteUrl(value: unknown, origin: string): string | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const text = value.trim();
  if (!/^(?:https?:\/\/|\/)/i.test(text) || !URL.canParse(text, origin)) return null;
  return /^https?:\/\//i.test(text) ? text : new URL(text, origin).href;
}

export function withoutQuery(address: string): string {
  return address.split(/[?#]/, 1)[0] ?? address;
}

/** Whether `host` is one of the names or a subdomain of one. */
export function isHostOf(host: string, names: readonly string[]): boolean {
  return names.some((name) => host === name || host.endsWith(`.${name}`));
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Reads an address from a client. It must be http(s) on one of the site's public hosts or on the configured origin,
 * without credentials and with the default port; the scheme is optional. Undefined otherwise.
 */
export function siteAddress(
  text: string,
  { hosts, origin }: { hosts: readonly string[]; origin: string },
): URL | undefined {
  const written = text.trim();
  const withScheme = SCHEME.test(written) ? written : `https://${written.replace(/^\/+/, '')}`;
  const candidate = /^\/(?!\/)/.test(written)
    ? new URL(origin + written)
    : URL.canParse(withScheme)
      ? new URL(withScheme)
      : undefined;
  if (!candidate || candidate.username !== '' || candidate.password !== '') return undefined;
  if (candidate.origin === origin) return candidate;
  const isWeb = candidate.protocol === 'https:' || candidate.protocol === 'http:';
  return isWeb && candidate.port === '' && isHostOf(candidate.hostname, hosts) ? candidate : undefined;
}

/** The same path and query on the configured origin. */
export function onOrigin(url: URL, origin: string): string {
  return `${origin}${url.pathname}${url.search}`;
}

/** A name of only dots is a step in a path, so its address would lead to another page. */
export function checkUsername(input: SiteInput): InputFault | undefined {
  return /^@?\.+$/.test(filledAt(input, 'username')?.trim() ?? '')
    ? { field: 'username', detail: 'is not a user name: it has only dots' }
    : undefined;
}
