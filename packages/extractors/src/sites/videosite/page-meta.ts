import { decodeEntities } from '../read/text.ts';

export interface PageMeta {
  published: string | null;
  genre: string | null;
  image: string | null;
  tags: string[];
}

const META = /<meta\s+(?:itemprop|property|name)="([^"]{1,60})"\s+content="([^"]{0,5000})"/gi;

/** The meta elements of a watch page. */
export const readPageMeta = (html: string | undefined): PageMeta => {
  const meta: PageMeta = { published: null, genre: null, image: null, tags: [] };
  for (const [, name, content] of (html ?? '').matchAll(META)) {
    const value = decodeEntities(content ?? '');
    if (value === '') continue;
    if (name === 'datePublished') meta.published ??= value;
    else if (name === 'genre') meta.genre ??= value;
    else if (name === 'og:image') meta.image ??= value;
    else if (name === 'og:video:tag') meta.tags.push(value);
  }
  return meta;
};
