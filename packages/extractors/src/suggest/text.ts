/** White space as people see it: runs are one space, none at the ends. No-break spaces count as white space. */
export function fold(text: string): string {
  return text.replaceAll(/[\s\u200B\uFEFF]+/g, ' ').trim();
}

/** What XPath's `normalize-space` gives: no-break spaces stay. */
export function foldXPath(text: string): string {
  return text.replaceAll(/[ \t\r\n]+/g, ' ').replaceAll(/^ | $/g, '');
}

/** Without any white space, to compare texts that only differ in breaks. */
export function squash(text: string): string {
  return text.replaceAll(/[\s\u200B\uFEFF]+/g, '');
}

export function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll('\\/', '/');
}

/** A text as an XPath literal; undefined when it has both kinds of quotes. */
export function xpathLiteral(text: string): string | undefined {
  if (!text.includes('"')) return `"${text}"`;
  return text.includes("'") ? undefined : `'${text}'`;
}

export function cssString(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Short and on one line, for reasons given to people. */
export function quoted(text: string): string {
  const folded = fold(text);
  return `“${folded.length > 40 ? `${folded.slice(0, 39)}…` : folded}”`;
}
