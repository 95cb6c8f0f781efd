import { Fault } from '../fault.ts';
import { parseJsonObject } from './read-file.ts';

/** `12` and `true` are numbers and truth values; everything else, also `007`, stays text. */
function readValue(text: string): unknown {
  if (/^(0|-?[1-9]\d{0,14})$/.test(text)) return Number(text);
  return text === 'true' || text === 'false' ? text === 'true' : text;
}

/**
 * Parameters from the command line: `name=value` each, or one JSON object.
 * @param isText names with values that stay text, even if they look like JSON
 * @throws Fault
 */
export function parseParameters(
  words: readonly string[],
  isText: (name: string) => boolean = () => false,
): Record<string, unknown> {
  const [first = ''] = words;
  if (words.length === 1 && first.trimStart().startsWith('{')) return parseJsonObject(first, 'the argument');
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1)
        throw new Fault(`${JSON.stringify(word)} is no parameter.`, 'Give name=value, or one JSON object.');
      const name = word.slice(0, at);
      const value = word.slice(at + 1);
      return [name, isText(name) ? value : readValue(value)];
    }),
  );
}
