/** The frequent references, each with its character. parse5 decodes all others. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['nbsp', '\u00A0'],
  ...(
    'amp& lt< gt> quot" apos\' copy© reg® laquo« raquo» middot· times× euro€ pound£ ndash– mdash— lsquo‘ rsquo’ ' +
    'ldquo“ rdquo” bull• hellip… rarr→ larr← aumlä oumlö uumlü szligß eacuteé egraveè agraveà ccedilç'
  )
    .split(' ')
    .map((pair): [string, string] => [pair.slice(0, -1), pair.slice(-1)]),
]);

/** A reference at `lastIndex`, with its semicolon if it has one. */
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]*))(;?)/y;

/** Whether this ampersand can't start a reference. */
function isLiteral(text: string, at: number): boolean {
  const code = text.charCodeAt(at + 1);
  const isAlphanumeric =
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
  // `&#` may start one; the end of the text (NaN) may not.
  return !isAlphanumeric && code !== 0x23;
}

function fromCode(code: number): string | undefined {
  // The standard treats control characters case by case; parse5 decodes those.
  const isPlain =
    (code >= 0x20 && code < 0x7f) ||
    code === 0x0a ||
    (code > 0x9f && code < 0xd8_00) ||
    (code > 0xdf_ff && code < 0xff_fe);
  const isAstral = code > 0xff_ff && code <= 0x10_ff_ff;
  return isPlain || isAstral ? String.fromCodePoint(code) : undefined;
}

/**
 * Decodes references in `text` from `from` on, up to the first one that parse5 must decode. `stop` is the index of that
 * reference, or −1 when all are decoded. In attributes a name before `=` is literal text (`?a=1&copy=2`).
 */
export function decodeReferences(
  text: string,
  from: number,
  inAttribute: boolean,
): { decoded: string; stop: number } {
  let decoded = '';
  let start = from;
  let at = text.indexOf('&', from);
  while (at !== -1) {
    if (isLiteral(text, at)) {
      at = text.indexOf('&', at + 1);
      continue;
    }
    REFERENCE.lastIndex = at;
    const match = REFERENCE.exec(text);
    const end = REFERENCE.lastIndex;
    const semicolon = match?.[4] === ';';
    if (
      match !== null &&
      match[3] !== undefined &&
      !semicolon &&
      inAttribute &&
      text.charCodeAt(end) === 0x3d
    ) {
      at = text.indexOf('&', end);
      continue;
    }
    let value: string | undefined;
    if (match !== null && semicolon) {
      if (match[3] === undefined) {
        value = fromCode(match[1] === undefined ? Number.parseInt(match[2] ?? '', 16) : Number(match[1]));
      } else value = NAMED.get(match[3]);
    }
    if (value === undefined) return { decoded: decoded + text.slice(start, at), stop: at };
    decoded += text.slice(start, at) + value;
    start = end;
    at = text.indexOf('&', end);
  }
  return { decoded: start === 0 ? text : decoded + text.slice(start), stop: -1 };
}
