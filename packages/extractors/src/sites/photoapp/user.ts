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
import { metaUser } from './meta-user.ts';
import { type BioLink, NOTHING, type UserView } from './user-view.ts';

/** The user in every source of a response, the most complete first. */
export function findUsers(response: SiteResponse, roots: readonly unknown[]): UserView[] {
  const views = [webUser(roots), restUser(roots), relayUser(roots), embedUser(roots)];
  if (isMarkup(response.body)) views.push(metaUser(response));
  return views.filter((view) => view !== undefined);
}

/** `edge_*` names: web_profile_info, the legacy page data, and the names before 2018. */
function webUser(roots: readonly unknown[]): UserView | undefined {
  for (const root of roots) {
    for (const node of objectsOf(root)) {
      const isUser =
        asFilled(node['username']) !== null &&
        (isObject(node['edge_followed_by']) || (isObject(node['followed_by']) && isObject(node['follows'])));
      if (isUser) return viewOf(node);
    }
  }
  return undefined;
}

/** The names in the app's own responses. */
function restUser(roots: readonly unknown[]): UserView | undefined {
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
}

/** Two records under the same key: one with the counts, one with the posts. */
function relayUser(roots: readonly unknown[]): UserView | undefined {
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
}

function accountType(node: JsonObject, ...types: number[]): boolean | null {
  const type = asNumber(node['account_type']);
  return type === null || type === 0 ? null : types.includes(type);
}

/** The fields of a user object in any of the three vocabularies. */
function viewOf(node: JsonObject): UserView {
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
}

function readBioLink(link: unknown): BioLink[] {
  const url =
    typeof link === 'string' ? link : first(asFilled(at(link, 'url')), unwrapped(at(link, 'lynx_url')));
  if (url === null || url === '') return [];
  return [{ title: asText(at(link, 'title')), url, link_type: asText(at(link, 'link_type')) }];
}

/** The target inside the site's redirect address. */
function unwrapped(wrapper: unknown): string | null {
  const url = asFilled(wrapper);
  return url !== null && URL.canParse(url) ? new URL(url).searchParams.get('u') : null;
}

/** The embed page: counts and six posts. */
function embedUser(roots: readonly unknown[]): UserView | undefined {
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
}
