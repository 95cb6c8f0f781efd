/** Characters with a meaning anywhere in a line of Markdown, also together with the text that follows. */
const ANYWHERE = /[\\`*[\]]|<(?=[a-z/!?]|$)|~(?=~)|(?<=~)~|&(?=#?\w*(?:;|$))/gi;
/** An underscore inside a word is plain text. */
const UNDERLINE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Escapes a text so that Markdown shows it unchanged anywhere in a line. */
export function escapeText(text: string): string {
  const escaped = text.replaceAll(ANYWHERE, (character) => (character === '&' ? '&amp;' : `\\${character}`));
  return escaped.includes('_') ? escaped.replaceAll(UNDERLINE, '\\_') : escaped;
}

const LINE_START = /^(?:[-+](?=\s|$)|-(?=[-\s]*$)|#(?=#{0,5}(?:\s|$))|>|=(?==*\s*$))/;

/** A start of a line that Markdown would read as a heading, list or quote. */
function escapeLineStart(line: string): string {
  if (LINE_START.test(line)) return `\\${line}`;
  return line.replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}

export function escapeLineStarts(text: string): string {
  return text.split('\n').map(escapeLineStart).join('\n');
}

/** Balanced parentheses are allowed in an address. */
function isBalanced(url: string): boolean {
  let open = 0;
  for (const character of url) {
    if (character === '(') open += 1;
    if (character === ')') open -= 1;
    if (open < 0 || open > 30) return false;
  }
  return open === 0;
}

/** The address for use between the parentheses of a link. */
export function escapeUrl(url: string): string {
  const plain = url
    .replaceAll(/[\s<>\\]/g, (character) => encodeURIComponent(character))
    .replaceAll(/&(?=#?\w+;)/g, '&amp;');
  return isBalanced(plain) ? plain : plain.replaceAll(/[()]/g, '\\$&');
}
