import { metaOf, linkOf } from '../read/html.ts';
import { readCount } from '../read/text.ts';
import { withoutQuery } from '../read/url.ts';
import {
  arrayAt,
  asCount,
  asFilled,
  asFlag,
  asId,
  asNumber,
  asText,
  at,
  first,
  isObject,
  type JsonObject,
} from '../read/value.ts';
import { objectsOf, valuesUnder } from '../read/walk.ts';
import type { SiteResponse } from '../types.ts';
import { isMarkup } from './documents.ts';

export interface BioLink {
  title: string | null;
  url: string | null;
  link_type: string | null;
}

/** What one source says about a user; null where it says nothing. */
export interface UserView {
  username: string | null;
  full_name: string | null;
  id: string | null;
  biography: string | null;
  profile_pic_url: string | null;
  profile_pic_url_hd: string | null;
  external_url: string | null;
  bio_links: BioLink[];
  followers: number | null;
  following: number | null;
  posts: number | null;
  is_verified: boolean | null;
  is_private: boolean | null;
  is_business_account: boolean | null;
  is_professional_account: boolean | null;
  category_name: string | null;
  email: string | null;
  phone_number: string | null;
  has_clips: boolean | null;
  highlight_reel_count: number | null;
  /** The source knows more than the meta elements of a page. */
  isData: boolean;
}

/** The user in every source of a response, the fullest first. */
export const findUsers = (response: SiteResponse, roots: readonly unknown[]): UserView[] => {
  const views = [webUser(roots), restUser(roots), relayUser(roots), embedUser(roots)];
  if (isMarkup(response.body)) views.push(metaUser(response));
  return views.filter((view) => view !== undefined);
};

/** One view from several: each field from the first source that has it. */
export const mergeUsers = (views: readonly UserView[]): UserView | undefined => {
  const [best, ...others] = views;
  if (!best) return undefined;
  const merged = { ...best };
  for (const other of others) {
    if (merged.id !== null && other.id !== null && merged.id !== other.id) continue;
    fill(merged, other);
  }
  return merged;
};

const fill = (target: UserView, source: UserView): void => {
  const links = target.bio_links.length > 0 ? target.bio_links : source.bio_links;
  const known = Object.fromEntries(Object.entries(target).filter(([, value]) => value !== null));
  Object.assign(target, { ...source, ...known, bio_links: links });
};

/** `edge_*` names: web_profile_info, the legacy page data, and the names before 2018. */
const webUser = (roots: readonly unknown[]): UserView | undefined => {
  for (const root of roots) {
    for (const node of objectsOf(root)) {
      const isUser =
        asFilled(node['username']) !== null &&
        (isObject(node['edge_followed_by']) || (isObject(node['followed_by']) && isObject(node['follows'])));
      if (isUser) return viewOf(node);
    }
  }
  return undefined;
};

/** The names of the app's own answers. */
const restUser = (roots: readonly unknown[]): UserView | undefined => {
  for (const root of roots) {
    for (const node of objectsOf(root)) {
      const isUser =
        asFilled(node['username']) !== null &&
        asCount(node['follower_count']) !== null &&
        ('media_count' in node || 'total_clips_count' in node || 'hd_profile_pic_url_info' in node);
      if (isUser) return viewOf(node);
    }
  }
  return undefined;
};

/** Two records under the same key: one with the counts, one with the posts. */
const relayUser = (roots: readonly unknown[]): UserView | undefined => {
  const records = roots.flatMap((root) => [...valuesUnder(root, 'xig_user_by_username')].filter(isObject));
  if (records.length === 0) return undefined;
  const merged: JsonObject = {};
  for (const record of records) {
    for (const [key, value] of Object.entries(record)) merged[key] ??= value;
  }
  if (asFilled(merged['username']) === null && asId(merged['pk']) === null) return undefined;
  const view = viewOf(merged);
  const isHeader = asCount(merged['follower_count']) !== null;
  const nodes = arrayAt(merged, 'polaris_ordered_timeline_connection', 'edges');
  const hasClip = nodes.some((edge) => at(edge, 'node', 'product_type') === 'clips');
  const links = view.bio_links;
  return {
    ...view,
    id: asId(merged['pk']) ?? view.id,
    has_clips: first(view.has_clips, hasClip ? true : null),
    external_url: first(view.external_url, links[0]?.url),
    highlight_reel_count: first(
      view.highlight_reel_count,
      Array.isArray(at(merged, 'lox_highlights_connection', 'edges'))
        ? arrayAt(merged, 'lox_highlights_connection', 'edges').length
        : null,
    ),
    isData: isHeader,
  };
};

const accountType = (node: JsonObject, ...types: number[]): boolean | null => {
  const type = asNumber(node['account_type']);
  return type === null || type === 0 ? null : types.includes(type);
};

/** The fields of a user object in any of the three vocabularies. */
const viewOf = (node: JsonObject): UserView => {
  const versions = arrayAt(node, 'hd_profile_pic_versions');
  const category = first(
    asFilled(node['category_name']),
    asFilled(node['category']),
    asFilled(node['business_category_name']),
  );
  const clips = asCount(node['total_clips_count']);
  return {
    username: asFilled(node['username']),
    full_name: asText(node['full_name']),
    id: first(asId(node['pk']), asId(node['id'])),
    biography: asText(node['biography']),
    profile_pic_url: asFilled(node['profile_pic_url']),
    profile_pic_url_hd: first(
      asFilled(node['profile_pic_url_hd']),
      asFilled(at(node, 'hd_profile_pic_url_info', 'url')),
      asFilled(at(versions, -1, 'url')),
    ),
    external_url: asFilled(node['external_url']),
    bio_links: arrayAt(node, 'bio_links').flatMap(readBioLink),
    followers: first(
      asCount(at(node, 'edge_followed_by', 'count')),
      asCount(at(node, 'followed_by', 'count')),
      asCount(node['follower_count']),
    ),
    following: first(
      asCount(at(node, 'edge_follow', 'count')),
      asCount(at(node, 'follows', 'count')),
      asCount(node['following_count']),
    ),
    posts: first(
      asCount(at(node, 'edge_owner_to_timeline_media', 'count')),
      asCount(at(node, 'media', 'count')),
      asCount(node['media_count']),
      asCount(node['all_media_count']),
    ),
    is_verified: asFlag(node['is_verified']),
    is_private: asFlag(node['is_private']),
    is_business_account: first(
      asFlag(node['is_business_account']),
      asFlag(node['is_business']),
      accountType(node, 2),
    ),
    is_professional_account: first(asFlag(node['is_professional_account']), accountType(node, 2, 3)),
    category_name: category === 'None' ? null : category,
    email: first(asFilled(node['business_email']), asFilled(node['public_email'])),
    phone_number: first(
      asFilled(node['business_phone_number']),
      asFilled(node['public_phone_number']),
      asFilled(node['contact_phone_number']),
    ),
    has_clips: first(asFlag(node['has_clips']), clips === null ? null : clips > 0),
    highlight_reel_count: asCount(node['highlight_reel_count']),
    isData: true,
  };
};

const readBioLink = (link: unknown): BioLink[] => {
  const url =
    typeof link === 'string' ? link : first(asFilled(at(link, 'url')), unwrapped(at(link, 'lynx_url')));
  if (url === null || url === '') return [];
  return [{ title: asText(at(link, 'title')), url, link_type: asText(at(link, 'link_type')) }];
};

/** The target inside the site's redirect address. */
const unwrapped = (wrapper: unknown): string | null => {
  const url = asFilled(wrapper);
  return url !== null && URL.canParse(url) ? new URL(url).searchParams.get('u') : null;
};

const NOTHING: UserView = {
  username: null,
  full_name: null,
  id: null,
  biography: null,
  profile_pic_url: null,
  profile_pic_url_hd: null,
  external_url: null,
  bio_links: [],
  followers: null,
  following: null,
  posts: null,
  is_verified: null,
  is_private: null,
  is_business_account: null,
  is_professional_account: null,
  category_name: null,
  email: null,
  phone_number: null,
  has_clips: null,
  highlight_reel_count: null,
  isData: false,
};

/** The embed page: counts and six posts. */
const embedUser = (roots: readonly unknown[]): UserView | undefined => {
  for (const root of roots) {
    const context = at(root, 'context') ?? root;
    const followers = asCount(at(context, 'followers_count'));
    if (!isObject(context) || followers === null) continue;
    const owner = at(context, 'graphql_media', 0, 'shortcode_media', 'owner');
    return {
      ...NOTHING,
      username: first(asFilled(context['username']), asFilled(at(owner, 'username'))),
      full_name: first(asText(context['full_name']), asText(at(owner, 'full_name'))),
      id: first(asId(context['owner_id']), asId(at(owner, 'id'))),
      profile_pic_url: first(asFilled(context['profile_pic_url']), asFilled(at(owner, 'profile_pic_url'))),
      followers,
      posts: asCount(context['posts_count']),
      is_verified: first(asFlag(context['verified']), asFlag(at(owner, 'is_verified'))),
      is_private: asFlag(at(owner, 'is_private')),
      isData: true,
    };
  }
  return undefined;
};

const COUNTS = /([\d.,]+[KMB]?) Followers, ([\d.,]+[KMB]?) Following, ([\d.,]+[KMB]?) Posts/i;

type Counts = [followers: number | null, following: number | null, posts: number | null];

/** The three counts before the dash. In another language they have the same order; a scaled one stays unknown there. */
const readCounts = (description: string): Counts | undefined => {
  const english = COUNTS.exec(description);
  if (english)
    return [english[1], english[2], english[3]].map((text) =>
      readCount((text ?? '').toUpperCase()),
    ) as Counts;
  const head = description.split(/ [-–—] /, 1)[0] ?? '';
  const numbers = [...head.matchAll(/(\d[\d.,\u00A0\u202F]*)\s?(\p{L}*)/gu)];
  if (numbers.length !== 3 || !head.includes(',')) return undefined;
  return numbers.map(([, digits = '', word = '']) => readGrouped(digits, word)) as Counts;
};

/** Letters that scale a number in some language. */
const SCALING =
  /^(?:k|m|b|g|mn|mln|mil|mio|mrd|tys|tis|tsd|rb|jt|bin|tn|t|e|n|tr|тыс|млн|млрд)$|^(?:만|천|억|万|萬|億|亿|千)/iu;

const readGrouped = (digits: string, word: string): number | null => {
  const plain = digits.replace(/[.,\u00A0\u202F]+$/, '');
  if (SCALING.test(word) || !/^\d{1,3}(?:[.,\u00A0\u202F]\d{3})*$|^\d+$/.test(plain)) return null;
  return Number(plain.replaceAll(/\D/g, ''));
};

const MAX_DESCRIPTION = 3000;

/** The meta elements of the profile page, in English. */
const metaUser = ({ body, url, finalUrl }: SiteResponse): UserView | undefined => {
  const metas = metaOf(body);
  const description = (metas.get('description') ?? '').slice(0, MAX_DESCRIPTION);
  const shared = (metas.get('og:description') ?? '').slice(0, MAX_DESCRIPTION);
  const counts = readCounts(shared) ?? readCounts(description);
  if (!counts) return undefined;
  const title = (metas.get('og:title') ?? '').slice(0, 500);
  const named = /^(.*?)\s*\(@([A-Za-z0-9._]+)\)/s.exec(title);
  const inText =
    /from (.*?) \(@([A-Za-z0-9._]+)\)/s.exec(shared) ?? /- (.*?) \(@([A-Za-z0-9._]+)\)/s.exec(description);
  const address = metas.get('og:url') ?? linkOf(body, 'canonical') ?? finalUrl ?? url;
  const inUrl = /^https?:\/\/[^/]+\/([A-Za-z0-9._]+)\/?$/.exec(withoutQuery(address))?.[1];
  return {
    ...NOTHING,
    username: first(named?.[2], inText?.[2], inUrl),
    full_name: first(named?.[1]?.trim(), inText?.[1]?.trim()),
    id: /profile_id\\?(?:"|&quot;)?\s*:\s*\\?(?:"|&quot;)(\d+)/.exec(body)?.[1] ?? null,
    biography: quotedBiography(description),
    profile_pic_url: asFilled(metas.get('og:image')),
    followers: counts[0],
    following: counts[1],
    posts: counts[2],
  };
};

/** `… on Instagram: "biography"` */
const quotedBiography = (description: string): string | null => {
  const start = /on Instagram:\s*["“]/i.exec(description);
  if (!start) return null;
  return description
    .slice(start.index + start[0].length)
    .trimEnd()
    .replace(/["”]$/, '');
};
