import { parseJson } from './json.ts';

export interface ScriptElement {
  /** The text between `<script` and `>`. */
  attributes: string;
  text: string;
}

const MAX_SCRIPTS = 5000;
const MAX_TAG_LENGTH = 20_000;

/** Scans a page for its script elements without building a tree. */
export function* scriptsOf(html: string): Generator<ScriptElement> {
  const lower = /<script/gi;
  for (let count = 0; count < MAX_SCRIPTS; count += 1) {
    const opening = lower.exec(html);
    if (!opening) return;
    const attributesStart = opening.index + 7;
    const textStart = tagEnd(html, attributesStart, MAX_TAG_LENGTH);
    if (textStart === -1) return;
    const close = closingScript(html, textStart);
    yield { attributes: html.slice(attributesStart, textStart - 1), text: html.slice(textStart, close) };
    lower.lastIndex = close;
  }
}

/** Index after the `>` that ends a tag, quotes respected; -1 when the tag stays open. */
export function tagEnd(html: string, from: number, limitChars: number): number {
  let quote = 0;
  const limit = Math.min(html.length, from + limitChars);
  for (let index = from; index < limit; index += 1) {
    const code = html.charCodeAt(index);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 0x22 || code === 0x27) quote = code;
    else if (code === 0x3e) return index + 1;
  }
  return -1;
}

function closingScript(html: string, from: number): number {
  const close = /<\/script/gi;
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}

/** Whether the script tag has this attribute, with this value when one is given. */
export function hasAttribute(script: ScriptElement, name: string, value?: string): boolean {
  const found = new RegExp(`(?:^|\\s)${name}\\s*(?:=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+)))?`, 'i').exec(
    script.attributes,
  );
  if (!found) return false;
  return value === undefined || (found[1] ?? found[2] ?? found[3]) === value;
}

/** The JSON of the script with this id; undefined when it is missing or damaged. */
export function scriptById(html: string, id: string): unknown {
  if (!html.includes(id)) return undefined;
  for (const script of scriptsOf(html)) {
    if (!hasAttribute(script, 'id', id)) continue;
    const value = parseJson(script.text);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The JSON of every script with this type. */
export function* scriptsOfType(html: string, type: string): Generator<unknown> {
  for (const script of scriptsOf(html)) {
    if (!hasAttribute(script, 'type', type)) continue;
    const value = parseJson(script.text);
    if (value !== undefined) yield value;
  }
}
