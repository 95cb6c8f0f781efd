/** The frequent references. parse5 decodes all others. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  copy: '\u00A9',
  reg: '\u00AE',
  laquo: '\u00AB',
  raquo: '\u00BB',
  middot: '\u00B7',
  times: '\u00D7',
  euro: '\u20AC',
  pound: '\u00A3',
  ndash: '\u2013',
  mdash: '\u2014',
  lsquo: '\u2018',
  rsquo: '\u2019',
  ldquo: '\u201C',
  rdquo: '\u201D',
  bull: '\u2022',
  hellip: '\u2026',
  rarr: '\u2192',
  larr: '\u2190',
  auml: '\u00E4',
  ouml: '\u00F6',
  uuml: '\u00FC',
  szlig: '\u00DF',
  eacute: '\u00E9',
  egrave: '\u00E8',
  agrave: '\u00E0',
  ccedil: '\u00E7',
};

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
      } else if (Object.hasOwn(NAMED, match[3])) {
        value = NAMED[match[3]];
      }
    }
    if (value === undefined) return { decoded: decoded + text.slice(start, at), stop: at };
    decoded += text.slice(start, at) + value;
    start = end;
    at = text.indexOf('&', end);
  }
  return { decoded: start === 0 ? text : decoded + text.slice(start), stop: -1 };
}
