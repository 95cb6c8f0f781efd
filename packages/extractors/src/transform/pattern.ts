import { RE2JS } from 're2js';
import { ExpressionFault } from '@gleaner/html';

/** A user's regular expression, run in time linear in the text. */
export type Pattern = RE2JS;

function columnOf(text: string, message: string): number | undefined {
  const part = /`([^`]+)`\s*$/.exec(message)?.[1];
  const at = part === undefined ? -1 : text.indexOf(part);
  return at === -1 ? undefined : at + 1;
}

/** @throws ExpressionFault for what RE2 does not take: look-around, back-references, huge repeats. */
export function compilePattern(text: string): Pattern {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(text));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ExpressionFault(message, columnOf(text, message));
  }
}
