import { parseJson } from './json.ts';
import { decodeEntities } from './text.ts';

export function isMarkup(body: string): boolean {
  return body.trimStart()[0] === '<';
}

/** The title element's text, found without building a tree. */
export function titleOf(html: string): string {
  const start = html.search(/<title[\s>]/i);
  const found = start === -1 ? null : /<title[^>]*>([^<]{0,400})/i.exec(html.slice(start, start + 1000));
  return decodeEntities(found?.[1] ?? '').trim();
}

const ATTRIBUTE = /([a-z][a-z:-]{0,40})\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi;

const MAX_TAGS = 5000;
const MAX_TAG_LENGTH = 20_000;

/** Index after the `>` that ends a tag, quotes respected; -1 when the tag stays open. */
function tagEnd(html: string, from: number, limitChars: number): number {
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

/** Scans for the tags with this name, in document order, without building a tree. An unclosed tag ends the scan. */
export function* tagsOf(
  html: string,
  name: 'meta' | 'link' | 'script',
): Generator<{ attributes: Map<string, string>; text: string }> {
  const opening = new RegExp(`<${name}[\\s/>]`, 'gi');
  for (let count = 0; count < MAX_TAGS; count += 1) {
    const found = opening.exec(html);
    if (!found) return;
    const start = found.index + name.length + 1;
    const end = tagEnd(html, start, MAX_TAG_LENGTH);
    if (end === -1) return;
    const attributes = new Map<string, string>();
    for (const [, key = '', double, single, bare] of html.slice(start, end - 1).matchAll(ATTRIBUTE)) {
      if (!attributes.has(key.toLowerCase()))
        attributes.set(key.toLowerCase(), decodeEntities(double ?? single ?? bare ?? ''));
    }
    const close = name === 'script' ? scriptEnd(html, end) : end;
    yield { attributes, text: html.slice(end, close) };
    opening.lastIndex = close;
  }
}

function scriptEnd(html: string, from: number): number {
  const close = /<\/script/gi;
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}

/** The texts of the scripts whose attribute has this value, or any where none is given. */
export function* scriptsWith(html: string, attribute: string, value?: string): Generator<string> {
  if (!html.includes(value ?? attribute)) return;
  for (const { attributes, text } of tagsOf(html, 'script')) {
    const found = attributes.get(attribute);
    if (value === undefined ? found !== undefined : found === value) yield text;
  }
}

/** The JSON of these scripts. Damaged ones are left out. */
export function* jsonScripts(html: string, attribute: string, value?: string): Generator<unknown> {
  for (const text of scriptsWith(html, attribute, value)) {
    const json = parseJson(text);
    if (json !== undefined) yield json;
  }
}

/** The JSON of the script with this id; undefined when it is missing or damaged. */
export function scriptById(html: string, id: string): unknown {
  const [json] = jsonScripts(html, 'id', id);
  return json;
}

/** Every meta element's content by its `name`, `property` or `itemprop`; the first one wins. */
export function metaOf(html: string): Map<string, string> {
  const metas = new Map<string, string>();
  for (const { attributes: tag } of tagsOf(html, 'meta')) {
    const content = tag.get('content');
    if (content === undefined) continue;
    for (const key of ['name', 'property', 'itemprop']) {
      const name = tag.get(key)?.toLowerCase();
      if (name !== undefined && !metas.has(name)) metas.set(name, content);
    }
  }
  return metas;
}

/** The address of the first link element with this relation. */
export function linkOf(html: string, relation: string): string | null {
  for (const { attributes: tag } of tagsOf(html, 'link')) {
    const href = tag.get('href');
    if (tag.get('rel')?.toLowerCase() === relation && href) return href;
  }
  return null;
}
