import sniffEncoding from 'html-encoding-sniffer';

/** Style sheets of hundreds of kilobytes stand before some declarations. */
const SEARCHED_BYTES = 512 * 1024;

/** Text between these tags is no markup, even where it looks like a declaration. */
const PLAIN_TEXT =
  /<!--[^]*?(?:-->|$)|<(script|style|title|noscript|textarea|template|xmp|iframe)\b[^]*?(?:<\/\1|$)/gi;

/** What precedes a page's body, read byte by byte: its markup is ASCII in every encoding that isn't recognised yet. */
export function headOf(body: Uint8Array): string {
  const text = new TextDecoder('windows-1252').decode(body.subarray(0, SEARCHED_BYTES));
  const end = text.search(/<body\b/i);
  return end === -1 ? text : text.slice(0, end);
}

/**
 * The encoding that a `<meta>` beyond the first 1,024 bytes declares, as browsers read it while they build the tree;
 * undefined without one before `<body>`.
 */
export function findLateEncoding(head: string): string | undefined {
  if (!/charset/i.test(head)) return undefined;
  const markup = new TextEncoder().encode(head.replace(PLAIN_TEXT, ''));
  const found = sniffEncoding(markup, { maxPrescanBytes: Number.POSITIVE_INFINITY, defaultEncoding: '' });
  return found === '' ? undefined : found;
}
