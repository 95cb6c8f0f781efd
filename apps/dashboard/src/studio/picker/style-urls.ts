/** Finds addresses in style sheets, makes them absolute, and replaces them by the loaded files. */

// Each pattern takes what it looked at, also when its end is missing: a hostile sheet costs linear time.
const IMPORT = /@import\s([^;]*)(?:;|$)/gi;
const IMPORTED = /^\s*(?:url\(\s*)?['"]?([^'")\s]+)/i;
const URL_TOKEN = /url\(((?:"[^"]*"|'[^']*')?[^)]*)(?:\)|$)/gi;

/** The address inside of url(…), without quotes. */
function unquote(inner: string): string {
  return inner.trim().replace(/^(["'])(.*)\1$/s, '$2');
}

/** The absolute http address of a link; undefined for anything else. */
export function absoluteUrl(text: string, base: string): string | undefined {
  const url = URL.parse(text.trim(), base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '')
    return undefined;
  url.hash = '';
  return url.href;
}

/** The style sheets that a style sheet begins with. */
export function importsOf(css: string, base: string): string[] {
  return [...css.matchAll(IMPORT)]
    .map(([, rest = '']) => absoluteUrl(IMPORTED.exec(rest)?.[1] ?? '', base))
    .filter((url) => url !== undefined);
}

/** Images and fonts that a style sheet names, in its order. */
export function urlsOf(css: string, base: string): string[] {
  const found = new Set<string>();
  for (const [, inner = ''] of css.replaceAll(IMPORT, '').matchAll(URL_TOKEN)) {
    const text = unquote(inner);
    const url = text.startsWith('data:') ? undefined : absoluteUrl(text, base);
    if (url !== undefined) found.add(url);
  }
  return [...found];
}

/**
 * Replaces addresses in a style sheet by the loaded files. Other addresses stay: the caller removes them.
 * @param loaded data: URLs by absolute address
 */
export function fillUrls(css: string, base: string, loaded: ReadonlyMap<string, string>): string {
  return css.replaceAll(URL_TOKEN, (token, inner: string) => {
    const url = absoluteUrl(unquote(inner), base);
    const data = url === undefined ? undefined : loaded.get(url);
    return data === undefined ? token : `url("${data}")`;
  });
}
