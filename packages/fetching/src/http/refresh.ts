import { headerText, type HeaderMap } from './exchange.ts';
import { isHtmlType, mediaType } from './content-type.ts';

/** A refresh after this many seconds at most is a redirect. Pages that load themselves anew later are read as they are. */
const MAX_SECONDS = 5;
/** A page that only leads on is short; a refresh stands in its head. */
const SEARCHED_BYTES = 64 * 1024;

/** What holds no refresh that a browser with scripts would follow. */
const NO_MARKUP =
  /<!--[^]*?(?:-->|$)|<(script|style|title|noscript|textarea|template|xmp|iframe)\b[^]*?(?:<\/\1|$)/gi;
const TAG = /<(meta|base)\b([^<>]*)>/gi;

/** The HTML standard's declarative refresh: seconds, then the address with or without `url=` and quotes. */
const REFRESH =
  /^\s{0,9}(\d{0,9})(?:\.[\d.]{0,9})?(?:\s{0,9}[;,]\s{0,9}|\s{1,9})(?:url\s{0,9}=\s{0,9})?(?:"([^"]*)|'([^']*)|([^]*))/i;

const REFERENCES: Readonly<Record<string, string>> = {
  amp: '&',
  quot: '"',
  apos: "'",
  '#38': '&',
  '#39': "'",
};

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|[\\s"'/])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    tag,
  );
  const value = found?.slice(1).find((part) => part !== undefined);
  return value?.replace(/&(#?\w{2,4});/g, (whole, reference: string) => REFERENCES[reference] ?? whole);
}

interface Refresh {
  text: string;
  base: string | undefined;
}

function inMarkup(body: Uint8Array): Refresh | undefined {
  const begin = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, SEARCHED_BYTES));
  const text = begin.toString('utf8');
  if (!/http-equiv/i.test(text) || !/refresh/i.test(text)) return undefined;
  let base: string | undefined;
  for (const [, name = '', tag = ''] of text.replace(NO_MARKUP, '').matchAll(TAG)) {
    if (name.toLowerCase() === 'base') base ??= attribute(tag, 'href');
    else if (attribute(tag, 'http-equiv')?.trim().toLowerCase() === 'refresh') {
      const content = attribute(tag, 'content');
      if (content !== undefined) return { text: content, base };
    }
  }
  return undefined;
}

/**
 * Where a page leads by the header `Refresh` or a `<meta>` within five seconds; undefined when it stays, or when it leads to
 * itself. The address is not checked.
 */
export function refreshOf(page: {
  finalUrl: string;
  status: number;
  headers: HeaderMap;
  contentType: string;
  body: Uint8Array;
}): URL | undefined {
  if (page.status < 200 || page.status >= 300 || !isHtmlType(mediaType(page.contentType))) return undefined;
  const header = headerText(page.headers, 'refresh');
  const { text, base } =
    header === ''
      ? (inMarkup(page.body) ?? { text: '', base: undefined })
      : { text: header, base: undefined };
  const [, seconds = '', ...addresses] = REFRESH.exec(text) ?? [];
  const address = addresses.find((part) => part !== undefined)?.trim() ?? '';
  if (address === '' || Number(seconds) > MAX_SECONDS) return undefined;
  const url = URL.parse(address, URL.parse(base ?? '', page.finalUrl)?.href ?? page.finalUrl);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  const own = new URL(page.finalUrl);
  return url.href.split('#', 1)[0] === own.href.split('#', 1)[0] ? undefined : url;
}
