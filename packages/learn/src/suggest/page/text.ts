import { shortenText } from '@gleaner/contracts/text';

/** Collapses white space, including no-break spaces: runs become one space, and the ends are trimmed. */
export function fold(text: string): string {
  return text.replaceAll(/[\s\u200B\uFEFF]+/g, ' ').trim();
}

/** The same as XPath's `normalize-space`: no-break spaces stay. */
export function foldXPath(text: string): string {
  return text.replaceAll(/[ \t\r\n]+/g, ' ').replaceAll(/^ | $/g, '');
}

/** Removes all white space, to compare texts that differ only in breaks. */
export function squash(text: string): string {
  return text.replaceAll(/[\s\u200B\uFEFF]+/g, '');
}

export function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll('\\/', '/');
}

/** The text as an XPath literal; undefined when it contains both kinds of quotes. */
export function xpathLiteral(text: string): string | undefined {
  if (!text.includes('"')) return `"${text}"`;
  return text.includes("'") ? undefined : `'${text}'`;
}

export function cssString(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Shortens a text to one line for explanations. */
export function quoted(text: string): string {
  const folded = fold(text);
  return `“${shortenText(folded, 39)}”`;
}
