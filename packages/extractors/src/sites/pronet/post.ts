// Page: /posts/…-activity-<id>-<hash>, /feed/update/urn:li:…, /embed/feed/update/…, /pulse/<slug>.
// Data: JSON-LD (SocialMediaPosting, DiscussionForumPosting, VideoObject, Article) and the post's own card; counters from the
// card first, because the JSON-LD's can be missing or late. Seen: May 2016 to May 2026.
import { type JsonObject, asFilled, countAt, filledAt, first, textAt } from '../read/value.ts';
import type { SiteResponses, SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { failed, firstReadable, isServerFault, ok, serverFault } from '../outcome.ts';
import { parsePage, type DomScope } from '../read/dom.ts';
import { isMarkup, linkOf, metaOf, titleOf } from '../read/html.ts';
import { withoutQuery } from '../read/url.ts';
import { readArticle } from './article.ts';
import {
  isoOfId,
  ownCard,
  readCardAuthor,
  readCardComments,
  readCardImages,
  readCommentary,
  readCounter,
} from './card.ts';
import {
  findPosting,
  ldTypes,
  type Person,
  type PostComment,
  type Posting,
  readAuthor,
  readImages,
  readInteraction,
  readLdComments,
} from './ld.ts';

export function extractPost(responses: SiteResponses, input: SiteInput): SiteOutcome {
  return firstReadable(responses, (response) => {
    const data = readResponse(response, input);
    return data ? ok(data) : readWall(response);
  });
}

const ARTICLE_MARKUP = /article-content|article-body|article-main|itemprop="articleBody"/;

function readResponse(response: SiteResponse, input: SiteInput): JsonObject | undefined {
  const { body } = response;
  if (!/linkedin\.com|licdn\.com/.test(body)) return undefined;
  const posting = findPosting(body);
  const isPage = isMarkup(body);
  const mayHaveCard = isPage && /data-activity-urn|main-feed-activity-card/.test(body);
  const mayBeArticle = isPage && ARTICLE_MARKUP.test(body);
  if (!posting && !mayHaveCard && !mayBeArticle) return undefined;
  const page = isPage ? parsePage(body) : undefined;
  const metas = isPage ? metaOf(body) : new Map<string, string>();
  const address = first(
    isPage ? linkOf(body, 'canonical') : null,
    filledAt(posting?.node, '@id', 'url', 'mainEntityOfPage'),
    metas.get('og:url'),
  );
  const canonical = address === null ? null : withoutQuery(address);
  const isArticle = posting?.isArticle === true || /\/(?:pulse|today\/article)\//.test(canonical ?? '');
  const parts = { page, posting, canonical, metas };
  if (isArticle) return readPulse(parts);
  return readUpdate(parts, idOf([canonical, response.finalUrl, response.url, input['url'], input['slug']]));
}

interface Parts {
  page: DomScope | undefined;
  posting: Posting | undefined;
  canonical: string | null;
  metas: Map<string, string>;
}

const ID = /(?:activity|ugcPost|share)(?::|-|%3A)(\d{15,20})/gi;

/** The id in the first address that has one. A slug can contain digits, so the last match counts. */
function idOf(addresses: readonly unknown[]): string | null {
  for (const address of addresses) {
    if (typeof address !== 'string') continue;
    if (/^\s*\d{15,20}\s*$/.test(address)) return address.trim();
    const found = [...address.matchAll(ID)].at(-1)?.[1];
    if (found !== undefined) return found;
  }
  return null;
}

function readUpdate({ page, posting, canonical, metas }: Parts, id: string | null): JsonObject | undefined {
  const card = page && ownCard(page, id);
  const node = posting?.node;
  const commentary = card ? readCommentary(card) : null;
  if (!posting && commentary === null) return undefined;
  const text = first(
    textAt(node, 'articleBody'),
    posting?.isVideo ? textAt(node, 'description') : null,
    commentary,
    describedText(metas.get('og:description')),
  );
  return {
    canonical_url: canonical,
    headline: first(filledAt(node, 'headline'), firstOf(text, '\n'), firstOf(metas.get('og:title'), ' | ')),
    text,
    published_at: first(filledAt(node, 'datePublished', 'uploadDate'), isoOfId(id)),
    author: mergePeople(readAuthor(node), card && readCardAuthor(card)),
    reaction_count: first(
      card ? readCounter(card, 'reactions') : null,
      readInteraction(node, 'LikeAction'),
      card ? 0 : null,
    ),
    comment_count: first(
      card ? readCounter(card, 'comments') : null,
      toldComments(metas),
      readInteraction(node, 'CommentAction'),
      countAt(node, 'commentCount'),
      card ? 0 : null,
    ),
    images: imagesOf(posting, card ? readCardImages(card) : []),
    comments: mergeComments(readLdComments(node), page ? readCardComments(page) : []),
  };
}

function mergePeople(best: Person, other: Person | undefined): Person {
  return {
    name: first(best.name, other?.name),
    url: first(best.url, other?.url),
    image: first(best.image, other?.image),
  };
}

function firstOf(text: string | null | undefined, separator: string): string | null {
  return text?.split(separator, 1)[0]?.trim() || null;
}

/** og:description ends with ` | 21 comments on LinkedIn`, or with ` on LinkedIn`. */
function describedText(description: string | undefined): string | null {
  return description?.replace(/ \| [\d,]+ comments? on LinkedIn$/i, '').trim() || null;
}

/** The count in the tail of og:title or og:description. */
function toldComments(metas: Map<string, string>): number | null {
  for (const name of ['og:description', 'og:title']) {
    const found = / \| ([\d,]+) comments?(?: on LinkedIn)?\s*$/i.exec(metas.get(name) ?? '')?.[1];
    if (found !== undefined) return Number(found.replaceAll(',', ''));
  }
  return null;
}

/** The album of the card is complete; the JSON-LD names only its first image. */
function imagesOf(posting: Posting | undefined, ofCard: string[]): string[] {
  if (posting?.isVideo) return [];
  const ofLd = readImages(posting?.node);
  return ofCard.length > ofLd.length ? ofCard : ofLd;
}

/** Both sources have the same order; the markup adds the commenter's address. */
function mergeComments(ofLd: PostComment[], ofCard: PostComment[]): JsonObject[] {
  const isAligned = ofLd.length === ofCard.length;
  return (ofLd.length === 0 ? ofCard : ofLd).map((comment, index) => {
    const twin = isAligned ? ofCard[index] : ofCard.find((other) => isSame(comment, other));
    return {
      author: first(comment.author, twin?.author),
      pronet_url: first(comment.url, twin?.url),
      text: first(comment.text, twin?.text, ''),
      date_published: first(comment.date, twin?.date),
    };
  });
}

function squeeze(text: string | null): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim();
}

function isSame(comment: PostComment, other: PostComment): boolean {
  return squeeze(comment.author) === squeeze(other.author) && squeeze(comment.text) === squeeze(other.text);
}

function readPulse({ page, posting, canonical, metas }: Parts): JsonObject | undefined {
  const article = page && readArticle(page);
  const node = posting?.node;
  const text = first(article?.text, textAt(node, 'articleBody'), asFilled(metas.get('og:description')));
  const headline = first(
    filledAt(node, 'name'),
    article?.headline,
    filledAt(node, 'headline'),
    asFilled(metas.get('og:title')),
  );
  if (!posting && (article?.text ?? null) === null) return undefined;
  const cover = asFilled(metas.get('og:image'));
  const images = [
    ...(posting?.isVideo ? [] : readImages(node)),
    ...(article?.images ?? []),
    ...(cover === null ? [] : [cover]),
  ];
  return {
    canonical_url: canonical,
    headline: headline?.replaceAll(/\s+/g, ' ').trim() ?? null,
    text,
    published_at: first(filledAt(node, 'datePublished'), article?.published),
    author: mergePeople(readAuthor(node), article?.author),
    reaction_count: first(readInteraction(node, 'LikeAction'), article?.reactions),
    comment_count: first(
      countAt(node, 'commentCount'),
      readInteraction(node, 'CommentAction'),
      article?.comments,
    ),
    images: images.slice(0, 1),
    comments: mergeComments(readLdComments(node), page ? readCardComments(page) : []),
  };
}

const LOGIN = /\/(?:authwall|uas\/login|login|signup\/|checkpoint\/)/;

const SMALL_PAGE = 10_000;

/** Classifies a response without a post. */
function readWall({ body, status, url, finalUrl }: SiteResponse): SiteOutcome {
  const address = finalUrl ?? url;
  const title = titleOf(body);
  if (status === 999) return failed('blocked', 'status 999: the site treats our IP address as a bot');
  if (LOGIN.test(address)) return failed('blocked', `login wall: ${address}`);
  if (status === 429) return failed('rate_limited', 'status 429');
  if (status === 404 || status === 410) return failed('not_found', `status ${status}`);
  if (status === 401 || status === 403) return failed('blocked', `status ${status}`);
  const about = metaOf(body).get('og:description') ?? '';
  if (/^(?:sign up|join|log ?in|sign in|linkedin login)\b/i.test(title) || /million\+ members/i.test(about)) {
    return failed('blocked', `login wall, title “${title}”`);
  }
  if (/security verification|challenge/i.test(title)) return failed('blocked', `challenge, title “${title}”`);
  if (isServerFault(status)) return serverFault(status);
  if (/(?:post|page|article) (?:not found|was deleted|cannot be displayed)|page doesn.t exist/i.test(title)) {
    return failed('not_found', `title “${title}”`);
  }
  const types = ldTypes(body);
  if (body.length < SMALL_PAGE && types.length === 0) {
    return failed('blocked', `small page of ${body.length} characters without a post, title “${title}”`);
  }
  if (
    types.length > 0 &&
    types.every((type) => /^(?:Organization|WebSite|WebPage|BreadcrumbList)$/.test(type))
  ) {
    return failed('blocked', `page without its post (JSON-LD ${types.join(', ')}): throttled`);
  }
  return failed('unrecognised', `no post on the page, title “${title}”`);
}
