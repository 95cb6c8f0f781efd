import { all, attribute, lineOf, linesOf, one, type DomScope } from '../read/dom.ts';
import { firstCount, writtenDay } from '../read/text.ts';
import { withoutQuery } from '../read/url.ts';
import { pictureOf } from './card.ts';

const BODY = [
  '[data-test-id="article-content-blocks"]',
  '.article-main__content',
  '.article-content__body',
  '[itemprop="articleBody"]',
  '.article-body',
];

const ASIDES = '.inline-articles, .content-author-card, script, style';

const TITLE =
  'h1.pulse-title, h1.reader-article-header__title, h1.article-content__title, h1.article-title, .article-main h1, article h1, h1[itemprop="headline"]';

/** The markup of an article page, in its three generations: 2014, 2019 and 2023. */
export function readArticle(page: DomScope) {
  const author = one(
    page,
    'h2 a[rel="author"], a.name[rel="author"], .main-author-card a.base-card__full-link, [itemprop="author"] a',
  );
  const name =
    lineOf(one(page, '.main-author-card .base-main-card__title')) ??
    attribute(author, 'title') ??
    lineOf(author) ??
    lineOf(one(page, '.article-content [itemprop="author"], [itemprop="author"]'));
  const href = attribute(author, 'href');
  return {
    headline: lineOf(one(page, TITLE)),
    text: readBody(page),
    published:
      attribute(one(page, 'time[itemprop="datePublished"]'), 'datetime') ??
      attribute(
        one(page, 'meta[property="article:published_time"], meta[name="article:published_time"]'),
        'content',
      ) ??
      writtenDay(lineOf(one(page, '.main-author-card .base-main-card__metadata, .base-main-card__metadata'))),
    author: {
      name,
      url: href === null || !href.startsWith('http') ? null : withoutQuery(href),
      image: pictureOf(one(page, '.main-author-card img')),
    },
    reactions: firstCount(
      lineOf(
        one(page, '.social-counts-reactions__social-counts-numRections, [itemprop="upvoteCount"], .likes'),
      ),
    ),
    comments: firstCount(
      lineOf(
        one(
          page,
          'a.social-action-counts__social-counts-item[data-tracking-control-name$="comments-text"], [itemprop="commentCount"]',
        ),
      ),
    ),
    images: all(page, 'figure.cover-img img, img.cover-image, .article-cover img')
      .flatMap((image) => pictureOf(image) ?? [])
      .slice(0, 1),
  };
}

function readBody(page: DomScope): string | null {
  const blocks = all(page, '[data-test-id="publishing-text-block"]');
  const inside = blocks.flatMap((block) => linesOf(block, ASIDES) ?? []);
  if (inside.length > 0) return inside.join('\n\n');
  for (const selector of BODY) {
    const text = linesOf(one(page, selector), ASIDES);
    if (text !== null) return text;
  }
  return null;
}
