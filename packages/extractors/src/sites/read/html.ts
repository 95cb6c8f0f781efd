import { decodeEntities } from './text.ts';

/** The title element's text, found without building a tree. */
export const titleOf = (html: string): string => {
  const start = html.search(/<title[\s>]/i);
  const found = start === -1 ? null : /<title[^>]*>([^<]{0,400})/i.exec(html.slice(start, start + 1000));
  return decodeEntities(found?.[1] ?? '').trim();
};

const TAG = /<meta\b((?:[^>"']|"[^"]*"|'[^']*')*)>/gi;
const ATTRIBUTE = /([a-z][a-z:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi;

/** Every meta element's content by its `name`, `property` or `itemprop`; the first one wins. */
export const metaOf = (html: string): Map<string, string> => {
  const metas = new Map<string, string>();
  for (const [, attributes] of html.slice(0, 2_000_000).matchAll(TAG)) {
    let name: string | undefined;
    let content: string | undefined;
    for (const [, key, double, single, bare] of (attributes ?? '').matchAll(ATTRIBUTE)) {
      const value = double ?? single ?? bare ?? '';
      if (key === 'content') content = value;
      else if (key === 'name' || key === 'property' || key === 'itemprop') name ??= value.toLowerCase();
    }
    if (name !== undefined && content !== undefined && !metas.has(name))
      metas.set(name, decodeEntities(content));
  }
  return metas;
};

/** The address of the first link element with this relation. */
export const linkOf = (html: string, relation: string): string | null => {
  for (const [, attributes] of html.slice(0, 2_000_000).matchAll(/<link\b((?:[^>"']|"[^"]*"|'[^']*')*)>/gi)) {
    const found = new Map<string, string>();
    for (const [, key, double, single, bare] of (attributes ?? '').matchAll(ATTRIBUTE)) {
      if (key !== undefined) found.set(key.toLowerCase(), double ?? single ?? bare ?? '');
    }
    const href = found.get('href');
    if (found.get('rel') === relation && href) return decodeEntities(href);
  }
  return null;
};
