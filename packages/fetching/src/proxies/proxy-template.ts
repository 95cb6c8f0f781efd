/** A configured proxy URL with its placeholders. */
export interface ProxyTemplate {
  /** For metrics and logs: scheme, host and port; never user information. */
  readonly label: string;
  readonly hasCountry: boolean;
  /** The URL for one country and session. */
  fill(country: string, session: string): string;
}

const SCHEMES = new Set(['http:', 'https:', 'socks5:', 'socks5h:']);

/** Fills `{country}` when the request names none. */
const DEFAULT_COUNTRY = 'us';

function fillIn(template: string, country: string, session: string): string {
  return template.replaceAll('{country}', country).replaceAll('{session}', session);
}

/**
 * Reads one proxy URL of a tier. Throws an Error that names the setting and the fault, without the URL's credentials.
 */
export function parseProxyTemplate(text: string, setting: string): ProxyTemplate {
  const sample = fillIn(text, DEFAULT_COUNTRY, 'session0');
  if (!URL.canParse(sample)) throw new Error(`${setting}: one of its entries is not a URL`);
  const url = new URL(sample);
  if (!SCHEMES.has(url.protocol)) {
    throw new Error(
      `${setting}: ${url.protocol}//${url.host} must start with http://, https:// or socks5://`,
    );
  }
  if (url.hostname === '') throw new Error(`${setting}: one of its entries has no host`);
  return {
    label: `${url.protocol}//${url.host}`,
    hasCountry: text.includes('{country}'),
    // With socks5 this process would resolve the name again, unchecked. With socks5h the proxy resolves it.
    fill: (country, session) =>
      fillIn(text, country === '' ? DEFAULT_COUNTRY : country, session).replace(/^socks5:/, 'socks5h:'),
  };
}
