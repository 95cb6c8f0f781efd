import { RE2JS } from 're2js';
import { ExpressionFault } from '@gleaner/html';

/** A user's regular expression, run in time linear in the text. */
export type Pattern = RE2JS;

function columnOf(text: string, message: string): number | undefined {
  const part = /`([^`]+)`\s*$/.exec(message)?.[1];
  const at = part === undefined ? -1 : text.indexOf(part);
  return at === -1 ? undefined : at + 1;
}

/** @throws ExpressionFault for syntax that RE2 rejects: look-around, back-references, huge repeats. */
export function compilePattern(text: string): Pattern {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(text));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const reason = message.replace(/^error parsing regexp: /, '');
    const why = /Perl syntax|escape sequence/.test(reason)
      ? '; patterns are RE2, without look-around and back-references'
      : '';
    throw new ExpressionFault(`is not a regular expression: ${reason}${why}`, columnOf(text, message));
  }
}
