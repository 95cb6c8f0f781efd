import { type PageDocument, type TreeElement, attributeOf, elementsByTag, textOf } from '@gleaner/html';
import { valueAt } from './block-context.ts';
import type { PageSums } from './page-sums.ts';

/** Readers' comments, as sites name the part that holds them. */
export const COMMENTS =
  /(?:^|[\s_-])(?:comments?|commentlist|disqus|respond|replies|kommentare?|commentaires|comentarios|commenti)(?=$|[\s_-])/i;
/** Lists of other articles. */
export const RELATED =
  /related|recommend|recirc|read-?(?:more|next|also)|more-?(?:stories|news|from|articles|on)|you-?(?:may|might)|also-?(?:like|read)|trending|most-?(?:read|popular|viewed)|popular-?(?:posts|articles)|latest|outbrain|taboola|similar-|see-?also/i;
/** Buttons that pass an article on. */
const SHARE =
  /(?:^|[\s_-])(?:share|sharing|social|sharedaddy|addtoany|addthis|follow)(?=$|[\s_-])|shar(?:e|ing)-?(?:buttons?|bar|links?|tools?|list)/i;

const NAME_LENGTH = 300;
const LONGEST_SHARE = 300;
/** The share of a text that makes it a list of links, and half of which makes comments the page's own content. */
const MOSTLY = 0.5;
const LEAST_PROSE = 800;

const ARTICLE_TYPE = /"(?:[A-Z][a-z]{2,20})?(?:Article|BlogPosting|Reportage)"/;
/** Forums, and pages whose reviews and lists are their content. */
const OTHER_TYPE =
  /"(?:DiscussionForumPosting|QAPage|Question|Conversation|Product|ProductGroup|ItemList|CollectionPage|SearchResultsPage|LocalBusiness|Hotel|Restaurant)"/;
const MAX_DATA = 200_000;

/** What the page's data says that it is. */
function kindIn(document: PageDocument): 'article' | 'other' | undefined {
  const type = elementsByTag(document, 'meta').find((meta) => attributeOf(meta, 'property') === 'og:type');
  let kind: 'article' | 'other' | undefined;
  if (type !== undefined && attributeOf(type, 'content') === 'article') kind = 'article';
  for (const script of elementsByTag(document, 'script')) {
    if (attributeOf(script, 'type') !== 'application/ld+json') continue;
    const text = textOf(document, script).slice(0, MAX_DATA);
    if (OTHER_TYPE.test(text)) kind = 'other';
    if (ARTICLE_TYPE.test(text)) return 'article';
  }
  return kind;
}

function nameOf(element: TreeElement): string {
  const name = `${attributeOf(element, 'id') ?? ''} ${attributeOf(element, 'class') ?? ''}`;
  return name.slice(0, NAME_LENGTH).replaceAll(/([a-z])(?=[A-Z])/g, '$1-');
}

function isBeside(element: TreeElement, sums: PageSums, isArticle: boolean): boolean {
  const { order } = element;
  const name = nameOf(element);
  if (name.length < 5) return false;
  const length = valueAt(sums.text, order);
  const links = valueAt(sums.links, order);
  if (SHARE.test(name) && length <= LONGEST_SHARE) return true;
  return isArticle && RELATED.test(name) && links >= MOSTLY * length;
}

/**
 * 1 for elements beside an article: readers' comments, lists of other articles, buttons to share it. Comments are
 * content of a forum and of a page that holds little else; there nothing is 1.
 */
export function besideArticle(document: PageDocument, sums: PageSums): Uint8Array {
  const beside = new Uint8Array(document.elements.length);
  const kind = kindIn(document);
  if (kind === 'other') return beside;
  const { top } = sums;
  const [heading] = elementsByTag(document, 'h1');
  const total = valueAt(sums.prose, top.order);
  const comments: TreeElement[] = [];
  const others: TreeElement[] = [];
  let last = -1;
  for (const element of document.elements) {
    const { order, lastOrder } = element;
    if (order <= Math.max(last, top.order) || order > top.lastOrder || valueAt(sums.text, order) === 0)
      continue;
    const holdsHeading = heading !== undefined && heading.order > order && heading.order <= lastOrder;
    const isComments =
      COMMENTS.test(nameOf(element)) && valueAt(sums.prose, order) < (1 - MOSTLY / 2) * total;
    if (holdsHeading || (!isComments && !isBeside(element, sums, kind === 'article'))) continue;
    last = lastOrder;
    (isComments ? comments : others).push(element);
  }
  const said = comments.reduce((sum, { order }) => sum + valueAt(sums.prose, order), 0);
  const told = total - said;
  const isArticle = told >= LEAST_PROSE && (kind === 'article' || told >= 2 * Math.max(LEAST_PROSE, said));
  if (isArticle)
    for (const { order, lastOrder } of [...comments, ...others]) beside.fill(1, order, lastOrder + 1);
  return beside;
}
