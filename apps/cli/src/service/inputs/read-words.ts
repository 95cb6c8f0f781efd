import { isObject } from '@gleaner/contracts/values';
import { Fault } from '../../fault.ts';
import { parseJson, parseJsonObject, readJson, readJsonObject, readSchemaFile } from '../../read-file.ts';
import type { Field } from './operation.ts';

export type Body = Record<string, unknown>;

/** `12`, `true` and `["a"]` are what they are in JSON; everything else, also `007`, stays text. */
function guessValue(text: string): unknown {
  if (/^[[{]/.test(text)) return parseJson(text, text);
  if (/^(0|-?[1-9]\d{0,14})$/.test(text)) return Number(text);
  if (text === 'null') return null;
  return text === 'true' || text === 'false' ? text === 'true' : text;
}

/** The value of a field that a text stands for. What is not valid stays as it is: the service names what is wrong. */
async function toValue({ path, kind, isNullable }: Omit<Field, 'about'>, text: string): Promise<unknown> {
  if (text === 'null' && isNullable === true) return null;
  switch (kind) {
    case 'any':
      return guessValue(text);
    case 'switch':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'number':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
    case 'json':
      if (/^\s*[[{]/.test(text)) return parseJson(text, text);
      return /\bschema$/.test(path) ? readSchemaFile(text) : readJson(text);
    case 'text':
      return text;
  }
}

/** The value of a field by the texts that name it: of a list each, else the last. */
export async function toFieldValue(field: Omit<Field, 'about'>, texts: readonly string[]): Promise<unknown> {
  const [first = ''] = texts;
  if (field.isList !== true) return toValue(field, texts.at(-1) ?? '');
  if (texts.length === 1 && first.startsWith('[')) return [parseJson(first, first)].flat();
  return (await Promise.all(texts.map((text) => toValue(field, text)))).flat();
}

/** Sets a member by the names of the objects around it: `sink.table`. */
export function setAt(body: Body, path: string, value: unknown): void {
  const [name = '', ...rest] = path.split('.');
  const inner = body[name];
  if (rest.length === 0) body[name] = value;
  else setAt((body[name] = isObject(inner) ? inner : {}), rest.join('.'), value);
}

/** Whether a word has the form `name=value`. */
export function isPair(word: string): boolean {
  return /^[a-z_][\w.]*=/i.test(word);
}

/**
 * Splits words at their first separator.
 * @param what names a word in the fault: `--header`
 * @throws Fault for a word without one, or with nothing before it
 */
export function splitPairs(
  words: readonly string[],
  separator: string,
  what = 'a parameter',
): [name: string, text: string][] {
  return words.map((word) => {
    const at = word.indexOf(separator);
    if (at < 1) throw new Fault(`${JSON.stringify(word)} is no ${what}.`, `Give name${separator}value.`);
    return [word.slice(0, at), word.slice(at + 1)];
  });
}

/**
 * Reads what words say: `name=value` each, one JSON object, or `-` for JSON on standard input.
 * @param fields those whose kind is known; the text of another says what it is
 * @throws Fault
 */
export async function readWords(
  words: readonly string[],
  fields: readonly Omit<Field, 'about'>[] = [],
): Promise<Body> {
  const [first = ''] = words;
  if (words.length === 1 && first === '-') return readJsonObject('-', 'fields');
  if (words.length === 1 && first.trimStart().startsWith('{')) return parseJsonObject(first, 'the argument');
  const body: Body = {};
  for (const [path, own] of Map.groupBy(splitPairs(words, '='), ([name]) => name)) {
    const field = fields.find((one) => one.path === path) ?? { path, kind: 'any' };
    setAt(
      body,
      path,
      await toFieldValue(
        field,
        own.map(([, text]) => text),
      ),
    );
  }
  return body;
}
