/** Characters that mean something anywhere in a line. */
const ANYWHERE = /[\\`*[\]]|<(?=[a-z/!?])|~(?=~)|(?<=~)~|&(?=#?\w*(?:;|$))/gi;
/** An underline inside a word means itself. */
const UNDERLINE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** A text whose characters mean themselves in Markdown, wherever in a line it stands. */
export function escapeText(text: string): string {
  const escaped = text.replaceAll(ANYWHERE, (character) => (character === '&' ? '&amp;' : `\\${character}`));
  return escaped.includes('_') ? escaped.replaceAll(UNDERLINE, '\\_') : escaped;
}

const LINE_START = /^(?:[-+](?=\s|$)|-(?=[-\s]*$)|#(?=#{0,5}(?:\s|$))|>|=(?==*\s*$))/;

/** The start of a line that would make it a heading, list or quote. */
function escapeLineStart(line: string): string {
  if (LINE_START.test(line)) return `\\${line}`;
  return line.replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}

export function escapeLineStarts(text: string): string {
  return text.split('\n').map(escapeLineStart).join('\n');
}

/** Parentheses may stand in an address when each has its partner. */
function isBalanced(url: string): boolean {
  let open = 0;
  for (const character of url) {
    if (character === '(') open += 1;
    if (character === ')') open -= 1;
    if (open < 0 || open > 30) return false;
  }
  return open === 0;
}

/** An address as it stands between the parentheses of a link. */
export function escapeUrl(url: string): string {
  const plain = url
    .replaceAll(/[\s<>\\]/g, (character) => encodeURIComponent(character))
    .replaceAll(/&(?=#?\w+;)/g, '&amp;');
  return isBalanced(plain) ? plain : plain.replaceAll('(', '%28').replaceAll(')', '%29');
}
