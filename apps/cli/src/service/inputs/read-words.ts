import { Fault } from '../../fault.ts';
import { parseJson, parseJsonObject, readJsonObject } from '../../read-file.ts';

/** `12`, `true` and `["a"]` are what they are in JSON; everything else, also `007`, stays text. */
export function readValue(text: string): unknown {
  if (/^[[{]/.test(text)) return parseJson(text, text);
  if (/^(0|-?[1-9]\d{0,14})$/.test(text)) return Number(text);
  if (text === 'null') return null;
  return text === 'true' || text === 'false' ? text === 'true' : text;
}

/** Whether a word has the form `name=value`. */
export function isPair(word: string): boolean {
  return /^[a-z_][\w.]*=/i.test(word);
}

/** Words as pairs of a name and the text after its `=`. @throws Fault for a word without one */
export function readPairs(words: readonly string[]): [name: string, text: string][] {
  return words.map((word) => {
    const at = word.indexOf('=');
    if (at < 1)
      throw new Fault(`${JSON.stringify(word)} is no parameter.`, 'Give name=value, or one JSON object.');
    return [word.slice(0, at), word.slice(at + 1)];
  });
}

/**
 * Parameters of a prebuilt API: `name=value` each, or one JSON object.
 * @param isText names with values that stay text, even if they look like JSON
 * @throws Fault
 */
export function parametersOf(
  words: readonly string[],
  isText: (name: string) => boolean = () => false,
): Record<string, unknown> {
  const [first = ''] = words;
  if (words.length === 1 && first.trimStart().startsWith('{')) return parseJsonObject(first, 'the argument');
  const pairs = readPairs(words);
  return Object.fromEntries(pairs.map(([name, text]) => [name, isText(name) ? text : readValue(text)]));
}

/** The same; `-` is JSON on standard input. */
export async function readParameters(
  words: readonly string[],
  isText?: (name: string) => boolean,
): Promise<Record<string, unknown>> {
  if (words.length === 1 && words[0] === '-') return readJsonObject('-', 'parameters');
  return parametersOf(words, isText);
}
