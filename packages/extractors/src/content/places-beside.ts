import { type PageDocument, type TreeElement, attributeOf, elementsByTag } from '@gleaner/html';
import { COMMENTS, RELATED } from './beside-article.ts';

const PARTS: ReadonlySet<string> = new Set(
  'form label input button select textarea nav footer header aside'.split(' '),
);
/** Parts that an article has too, with its own date and author. */
const PARTS_OF_ARTICLES: ReadonlySet<string> = new Set(['footer', 'header']);

/** What customers and other people wrote, what happens at a time, and the edges of a site. */
const OTHERS =
  /(?:^|[\s_-])(?:reviews?|testimonials?|events?|countdown|(?:site|page|main)-?(?:footer|header)|top-?bar|masthead|contentinfo)(?=$|[\s_-])/i;

function isNamedBeside(element: TreeElement): boolean {
  const name = `${attributeOf(element, 'class') ?? ''} ${attributeOf(element, 'id') ?? ''} ${attributeOf(element, 'role') ?? ''}`;
  return COMMENTS.test(name) || RELATED.test(name) || OTHERS.test(name);
}

function findPlaces(document: PageDocument): ReadonlySet<number> {
  const heading = elementsByTag(document, 'h1')[0]?.order;
  const holdsHeading = ({ order, lastOrder }: TreeElement): boolean =>
    heading !== undefined && order <= heading && heading <= lastOrder;
  const hasArticle = elementsByTag(document, 'article').some(holdsHeading);
  const places = new Set<number>();
  let end = -1;
  let endOfArticle = -1;
  for (const element of document.elements) {
    const { order, lastOrder, localName } = element;
    if (localName === 'article') endOfArticle = Math.max(endOfArticle, lastOrder);
    const isPart = PARTS_OF_ARTICLES.has(localName)
      ? order > endOfArticle
      : PARTS.has(localName) || (localName === 'article' && hasArticle);
    // The whole page may say of itself that it has comments.
    const isPage = localName === 'body' || localName === 'html' || holdsHeading(element);
    if (!isPage && (isPart || isNamedBeside(element))) end = Math.max(end, lastOrder);
    if (order <= end) places.add(order);
  }
  return places;
}

const known = new WeakMap<PageDocument, ReadonlySet<number>>();

/**
 * The places of elements that are not of what the page is about: forms, comments, reviews, related articles, the header
 * and footer of the site. Whoever is named there has not written the page, and its dates are not the page's.
 */
export function placesBeside(document: PageDocument): ReadonlySet<number> {
  const places = known.get(document) ?? findPlaces(document);
  known.set(document, places);
  return places;
}
