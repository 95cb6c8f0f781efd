import { isObject } from '@gleaner/contracts/values';
import {
  arrayAt,
  asFilled,
  at,
  countAt,
  filledAt,
  first,
  flagAt,
  idAt,
  numberAt,
  textAt,
  type JsonObject,
  findObject,
  valuesUnder,
  filledFrom,
} from '../read/value.ts';
import type { SiteResponse } from '../types.ts';
import { isMarkup } from '../read/html.ts';
import { metaUser } from './meta-user.ts';
import type { BioLink, UserView } from './user-view.ts';

/** The user in every source of a response, the most complete first. */
export function findUsers(response: SiteResponse, roots: readonly unknown[]): UserView[] {
  const views = [userWith(roots, isWebUser), userWith(roots, isRestUser), relayUser(roots), embedUser(roots)];
  if (isMarkup(response.body)) views.push(metaUser(response));
  return views.filter((view) => view !== undefined);
}

/** The first object with a user's name that the test accepts. */
function userWith(roots: readonly unknown[], test: (node: JsonObject) => boolean): UserView | undefined {
  for (const root of roots) {
    const node = findObject(root, (candidate) => filledAt(candidate, 'username') !== null && test(candidate));
    if (node) return viewOf(node);
  }
  return undefined;
}

/** `edge_*` names: web_profile_info, the legacy page data, and the names before 2018. */
function isWebUser(node: JsonObject): boolean {
  return isObject(node['edge_followed_by']) || (isObject(node['followed_by']) && isObject(node['follows']));
}

/** The names in the app's own responses. */
function isRestUser(node: JsonObject): boolean {
  return (
    countAt(node, 'follower_count') !== null &&
    ('media_count' in node || 'total_clips_count' in node || 'hd_profile_pic_url_info' in node)
  );
}

/** Two records under the same key: one with the counts, one with the posts. */
function relayUser(roots: readonly unknown[]): UserView | undefined {
  const records = roots.flatMap((root) => [...valuesUnder(root, 'xig_user_by_username')].filter(isObject));
  if (records.length === 0) return undefined;
  const merged = filledFrom(records);
  if (filledAt(merged, 'username') === null && idAt(merged, 'pk') === null) return undefined;
  const view = viewOf(merged);
  const isHeader = countAt(merged, 'follower_count') !== null;
  const nodes = arrayAt(merged, 'polaris_ordered_timeline_connection.edges');
  const hasClip = nodes.some((edge) => at(edge, 'node.product_type') === 'clips');
  return {
    ...view,
    id: idAt(merged, 'pk') ?? view.id,
    has_clips: first(view.has_clips, hasClip ? true : null),
    external_url: first(view.external_url, view.bio_links?.[0]?.url),
    highlight_reel_count: first(
      view.highlight_reel_count,
      Array.isArray(at(merged, 'lox_highlights_connection.edges'))
        ? arrayAt(merged, 'lox_highlights_connection.edges').length
        : null,
    ),
    isData: isHeader,
  };
}

function accountType(node: JsonObject, ...types: number[]): boolean | null {
  const type = numberAt(node, 'account_type');
  return type === null || type === 0 ? null : types.includes(type);
}

/** The fields of a user object in any of the three vocabularies. */
function viewOf(node: JsonObject): UserView {
  const category = filledAt(node, 'category_name', 'category', 'business_category_name');
  const clips = countAt(node, 'total_clips_count');
  return {
    username: filledAt(node, 'username'),
    full_name: textAt(node, 'full_name'),
    id: idAt(node, 'pk', 'id'),
    biography: textAt(node, 'biography'),
    profile_pic_url: filledAt(node, 'profile_pic_url'),
    profile_pic_url_hd: filledAt(
      node,
      'profile_pic_url_hd',
      'hd_profile_pic_url_info.url',
      'hd_profile_pic_versions.-1.url',
    ),
    external_url: filledAt(node, 'external_url'),
    bio_links: arrayAt(node, 'bio_links').flatMap(readBioLink),
    followers: countAt(node, 'edge_followed_by.count', 'followed_by.count', 'follower_count'),
    following: countAt(node, 'edge_follow.count', 'follows.count', 'following_count'),
    posts: countAt(
      node,
      'edge_owner_to_timeline_media.count',
      'media.count',
      'media_count',
      'all_media_count',
    ),
    is_verified: flagAt(node, 'is_verified'),
    is_private: flagAt(node, 'is_private'),
    is_business_account: first(flagAt(node, 'is_business_account', 'is_business'), accountType(node, 2)),
    is_professional_account: first(flagAt(node, 'is_professional_account'), accountType(node, 2, 3)),
    category_name: category === 'None' ? null : category,
    email: filledAt(node, 'business_email', 'public_email'),
    phone_number: filledAt(node, 'business_phone_number', 'public_phone_number', 'contact_phone_number'),
    has_clips: first(flagAt(node, 'has_clips'), clips === null ? null : clips > 0),
    highlight_reel_count: countAt(node, 'highlight_reel_count'),
    isData: true,
  };
}

function readBioLink(link: unknown): BioLink[] {
  const url = typeof link === 'string' ? link : first(filledAt(link, 'url'), unwrapped(at(link, 'lynx_url')));
  if (url === null || url === '') return [];
  return [{ title: textAt(link, 'title'), url, link_type: textAt(link, 'link_type') }];
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
    const followers = countAt(context, 'followers_count');
    if (!isObject(context) || followers === null) continue;
    const owner = at(context, 'graphql_media.0.shortcode_media.owner');
    return {
      username: first(filledAt(context, 'username'), filledAt(owner, 'username')),
      full_name: first(textAt(context, 'full_name'), textAt(owner, 'full_name')),
      id: first(idAt(context, 'owner_id'), idAt(owner, 'id')),
      profile_pic_url: first(filledAt(context, 'profile_pic_url'), filledAt(owner, 'profile_pic_url')),
      followers,
      posts: countAt(context, 'posts_count'),
      is_verified: first(flagAt(context, 'verified'), flagAt(owner, 'is_verified')),
      is_private: flagAt(owner, 'is_private'),
      isData: true,
    };
  }
  return undefined;
}
