import { decodeEntities } from './text.ts';
import { tagEnd } from './scripts.ts';

/** The title element's text, found without building a tree. */
export function titleOf(html: string): string {
  const start = html.search(/<title[\s>]/i);
  const found = start === -1 ? null : /<title[^>]*>([^<]{0,400})/i.exec(html.slice(start, start + 1000));
  return decodeEntities(found?.[1] ?? '').trim();
}

const ATTRIBUTE = /([a-z][a-z:-]{0,40})\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi;

const MAX_TAGS = 5000;
const MAX_TAG_LENGTH = 20_000;

/** Scans for the attributes of every tag with this name, in document order. An unclosed tag ends the scan. */
export function* tagsOf(html: string, name: 'meta' | 'link'): Generator<Map<string, string>> {
  const opening = new RegExp(`<${name}[\\s/]`, 'gi');
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
    yield attributes;
    opening.lastIndex = end;
  }
}

/** Every meta element's content by its `name`, `property` or `itemprop`; the first one wins. */
export function metaOf(html: string): Map<string, string> {
  const metas = new Map<string, string>();
  for (const tag of tagsOf(html, 'meta')) {
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
  for (const tag of tagsOf(html, 'link')) {
    const href = tag.get('href');
    if (tag.get('rel')?.toLowerCase() === relation && href) return href;
  }
  return null;
}
