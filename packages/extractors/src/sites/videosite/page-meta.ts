import { tagsOf } from '../read/html.ts';

export interface PageMeta {
  published: string | null;
  genre: string | null;
  image: string | null;
  tags: string[];
}

/** The meta elements of a watch page. */
export function readPageMeta(html: string | undefined): PageMeta {
  const meta: PageMeta = { published: null, genre: null, image: null, tags: [] };
  for (const tag of tagsOf(html ?? '', 'meta')) {
    const name = tag.get('itemprop') ?? tag.get('property');
    const value = tag.get('content');
    if (!value) continue;
    if (name === 'datePublished') meta.published ??= value;
    else if (name === 'genre') meta.genre ??= value;
    else if (name === 'og:image') meta.image ??= value;
    else if (name === 'og:video:tag') meta.tags.push(value);
  }
  return meta;
}
