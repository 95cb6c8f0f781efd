import { Fault } from '../fault.ts';
import { parseJson, parseJsonObject, readJsonObject } from '../read-file.ts';

/** `12`, `true` and `["a"]` are what they are in JSON; everything else, also `007`, stays text. */
function readValue(text: string): unknown {
  if (/^[[{]/.test(text)) return parseJson(text, text);
  if (/^(0|-?[1-9]\d{0,14})$/.test(text)) return Number(text);
  return text === 'true' || text === 'false' ? text === 'true' : text;
}

/**
 * Parameters from the command line: `name=value` each, one JSON object, or `-` for JSON on standard input.
 * @param isText names with values that stay text, even if they look like JSON
 * @throws Fault
 */
export async function readParameters(
  words: readonly string[],
  isText: (name: string) => boolean = () => false,
): Promise<Record<string, unknown>> {
  const [first = ''] = words;
  if (words.length === 1 && first === '-') return readJsonObject('-', 'parameters');
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
