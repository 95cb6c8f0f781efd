const UNSEEN = /^<(script|style|noscript|title|template)\b/i;

export function latin1Of(body: Uint8Array, maxBytes = body.byteLength): string {
  const length = Math.min(body.byteLength, maxBytes);
  return Buffer.from(body.buffer, body.byteOffset, length).toString('latin1');
}

/** Finds end tags, written small or in capitals, and searches in vain once only. */
function createEndSearch(html: string): (name: string, from: number) => number {
  const missing = new Set<string>();
  const find = (tag: string, from: number): number => {
    if (missing.has(tag)) return -1;
    const at = html.indexOf(tag, from);
    if (at === -1) missing.add(tag);
    return at;
  };
  return (name, from) => {
    const small = find(`</${name.toLowerCase()}`, from);
    return small === -1 ? find(`</${name.toUpperCase()}`, from) : small;
  };
}

/** The texts outside of tags, comments, scripts and titles. Reads each character once. */
function* shownParts(html: string): Generator<string> {
  const endOf = createEndSearch(html);
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const part = html.slice(at, open === -1 ? html.length : open).trim();
    if (part !== '') yield part;
    if (open === -1) return;
    if (html.startsWith('<!--', open)) {
      const end = html.indexOf('-->', open);
      if (end === -1) return;
      at = end + 3;
      continue;
    }
    const name = UNSEEN.exec(html.slice(open, open + 10))?.[1];
    const close = html.indexOf('>', name === undefined ? open : Math.max(open, endOf(name, open)));
    if (close === -1) {
      yield html.slice(open);
      return;
    }
    at = close + 1;
  }
}

export function hasVisibleText(html: string): boolean {
  return shownParts(html).next().done !== true;
}

/** The text that a page shows without scripts, at most `maxLength` characters. */
export function shownText(html: string, maxLength: number): string {
  let text = '';
  for (const part of shownParts(html)) {
    text += text === '' ? part : ` ${part}`;
    if (text.length >= maxLength) return text.slice(0, maxLength);
  }
  return text;
}
