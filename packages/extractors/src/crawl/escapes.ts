const ESCAPE = /%[0-9a-f]{2}/gi;
const UNRESERVED = /^[\w.~-]$/;

/** Whether a `%` that begins no escape stands so close that a decoded character would complete it. */
function followsStrayPercent(text: string, offset: number): boolean {
  if (text[offset - 1] === '%') return true;
  return text[offset - 2] === '%' && /[0-9a-f]/i.test(text[offset - 1] ?? '');
}

/**
 * The one way to write each escape of an address (RFC 3986, 6.2.2): letters, digits and `-._~` as themselves, others
 * with capital digits. So `/%61dmin` is not another page than `/admin`, and no pattern misses it.
 */
export function canonicalEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(ESCAPE, (escape, offset: number) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    const isPlain = UNRESERVED.test(character) && !followsStrayPercent(text, offset);
    return isPlain ? character : escape.toUpperCase();
  });
}

const CLIMB = /(?:^|[/\\])\.\.(?:;[^/\\]*)?(?:[/\\]|$)/;
const SEPARATORS: Readonly<Record<string, string>> = {
  '%25': '%',
  '%2E': '.',
  '%2F': '/',
  '%5C': '\\',
  '%3B': ';',
};

/**
 * Whether a server that decodes the path once more, or drops what follows `;`, reads it as one that goes up:
 * `/docs/..%2Fadmin`, `/docs/..;/admin`.
 */
export function climbs(path: string): boolean {
  if (!path.includes('..') && !path.includes('%')) return false;
  let text = path;
  for (let round = 0; round < 3; round += 1) {
    if (CLIMB.test(text)) return true;
    text = text.replace(/%(?:25|2E|2F|5C|3B)/gi, (escape) => SEPARATORS[escape.toUpperCase()] ?? escape);
  }
  return CLIMB.test(text);
}
