import {
  all,
  attribute,
  isWithin,
  lineOf,
  one,
  type PageElement,
  plainOf,
  type DomScope,
} from '../read/dom.ts';
import { firstCount, timeOfId } from '../read/text.ts';
import { withoutQuery } from '../read/url.ts';
import type { PostComment, Person } from './ld.ts';

const CARD =
  'article.main-feed-activity-card, article[data-activity-urn], [data-activity-urn].feed-shared-update-v2';

/** The page repeats the same markup for related posts below and for shared posts. These are never read. */
const FOREIGN = /related-posts|feed-reshare-content/;

/** The post's own card: the one with this id, else the first that is not a related post. */
export function ownCard(page: DomScope, id: string | null): PageElement | undefined {
  const cards = all(page, CARD).filter((card) => !isWithin(card, FOREIGN, { orIs: true }));
  const named = cards.find((card) =>
    ['data-activity-urn', 'data-attributed-urn'].some(
      (name) => id !== null && attribute(card, name)?.endsWith(`:${id}`) === true,
    ),
  );
  return named ?? cards[0];
}

function oneOwn(card: DomScope, selector: string): PageElement | undefined {
  return all(card, selector).find((element) => !isWithin(element, FOREIGN));
}

const COUNTERS = { reactions: 'reaction-count', comments: 'comments' } as const;

/** `1,368` or `data-num-reactions="1368"`. */
export function readCounter(card: DomScope, kind: keyof typeof COUNTERS): number | null {
  const written = attribute(oneOwn(card, `[data-num-${kind}]`), `data-num-${kind}`);
  return firstCount(written ?? lineOf(oneOwn(card, `[data-test-id="social-actions__${COUNTERS[kind]}"]`)));
}

export function readCommentary(card: DomScope): string | null {
  return (
    plainOf(oneOwn(card, '[data-test-id="main-feed-activity-card__commentary"]')) ??
    plainOf(oneOwn(card, '.attributed-text-segment-list__content, .feed-shared-update-v2__description'))
  );
}

export function readCardAuthor(card: DomScope): Person {
  const link = oneOwn(
    card,
    'a[data-tracking-control-name="public_post_feed-actor-name"], a[data-tracking-control-name$="feed-actor-name"]',
  );
  const lockup = oneOwn(card, '[data-test-id="main-feed-activity-card__entity-lockup"]');
  const href = attribute(link, 'href');
  return {
    name: lineOf(link),
    url: href === null ? null : withoutQuery(href),
    image: lockup ? pictureOf(one(lockup, 'img')) : null,
  };
}

/** An image's address. Icons and placeholders of missing pictures don't count. */
export function pictureOf(image: PageElement | undefined): string | null {
  const url = attribute(image, 'data-delayed-url', 'src');
  return url !== null && /^https?:\/\//.test(url) && !url.includes('static.licdn.com') ? url : null;
}

/** All images of an album, or the preview of a shared link; avatars left out. */
export function readCardImages(card: DomScope): string[] {
  const album = all(
    card,
    '[data-test-id="feed-images-content"] li img, [data-test-id="feed-images-content"] img',
  ).flatMap((image) => pictureOf(image) ?? []);
  const shared = all(card, '[data-test-id="article-content"] img').flatMap((image) => pictureOf(image) ?? []);
  const urls = (album.length > 0 ? album : shared).filter(
    (url) => !/profile-displayphoto|company-logo/.test(url),
  );
  return [...new Set(urls)];
}

/** The comments on the page, those of related posts left out. */
export function readCardComments(page: DomScope): PostComment[] {
  return all(page, 'section.comment')
    .filter((comment) => !isWithin(comment, FOREIGN))
    .map((comment) => {
      const author = one(comment, '.comment__author, .comment__actor-name');
      const link = author && (author.node.localName === 'a' ? author : one(author, 'a'));
      const href = attribute(link, 'href');
      return {
        author: lineOf(author),
        url: href === null || !/^https?:/.test(href) ? null : withoutQuery(href),
        text: plainOf(one(comment, '.comment__text, .comment__message')),
        date: dateOfComment(comment),
      };
    });
}

/** The comment's id contains its time. */
function dateOfComment(comment: PageElement): string | null {
  const urn = attribute(one(comment, '[data-semaphore-content-urn]'), 'data-semaphore-content-urn');
  const id = /,\s*(\d{15,20})\)/.exec(urn ?? '')?.[1];
  return id === undefined ? null : isoOfId(id);
}

/** Ids contain milliseconds above 22 bits. */
export function isoOfId(id: string | null): string | null {
  const ms = id === null ? null : timeOfId(id, 22);
  return ms === null ? null : new Date(ms).toISOString();
}
