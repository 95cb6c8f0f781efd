// Page: /{username}/, its embed, or the answer of api/v1/users/web_profile_info.
// Data: data-sjs scripts with xig_user_by_username; data.user (edge_* names); user (REST names); meta elements as a last resort.
// Seen: Dec 2017 to Jul 2026.
import { ok, worst } from '../outcome.ts';
import { first } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { readRoots } from './documents.ts';
import { findLists, type MediaList } from './lists.ts';
import { type Media, postOf } from './media.ts';
import { mergeUsers, type UserView } from './user-view.ts';
import { findUsers } from './user.ts';
import { readWall } from './wall.ts';

export function extractProfile(responses: readonly SiteResponse[], _input: SiteInput): SiteOutcome {
  const views: UserView[] = [];
  const lists: MediaList[] = [];
  const failures: SiteOutcome[] = [];
  for (const response of responses) {
    const roots = readRoots(response);
    const found = findUsers(response, roots);
    views.push(...found);
    if (found.length > 0) lists.push(...findLists(roots).filter((list) => list.kind === 'timeline'));
    else failures.push(readWall(response, roots));
  }
  const data = views.filter((view) => view.isData);
  const user = mergeUsers([...data, ...views.filter((view) => !view.isData)]);
  if (!user || (user.username === null && user.id === null)) return worst(failures);
  return ok(profileOf(user, lists));
}

/** Fills missing fields of a post from the same post in other lists, because guests see no counts. */
function completed(item: Media, lists: readonly MediaList[]): Media {
  let filled = item;
  for (const { items } of lists) {
    const twin = items.find(
      (other) =>
        other !== item &&
        ((item.id !== null && other.id === item.id) ||
          (item.shortcode !== null && other.shortcode === item.shortcode)),
    );
    if (twin) filled = withTwin(filled, twin);
  }
  return filled;
}

function withTwin(item: Media, twin: Media): Media {
  return {
    ...item,
    display_url: first(item.display_url, twin.display_url),
    is_video: first(item.is_video, twin.is_video),
    likes: first(item.likes, twin.likes),
    comments: first(item.comments, twin.comments),
    // A time derived from the id is too early, so the later of two is the site's own.
    timestamp:
      item.timestamp === null || twin.timestamp === null
        ? first(item.timestamp, twin.timestamp)
        : Math.max(item.timestamp, twin.timestamp),
    caption: first(item.caption, twin.caption),
  };
}

function profileOf(user: UserView, lists: readonly MediaList[]): Record<string, unknown> {
  const list = lists.find((candidate) => candidate.items.length > 0) ?? lists[0];
  const posts = (list?.items ?? []).map((item) => completed(item, lists));
  return {
    identity: {
      username: user.username,
      full_name: user.full_name,
      id: user.id,
      biography: user.biography,
      profile_pic_url: user.profile_pic_url,
      profile_pic_url_hd: user.profile_pic_url_hd,
      external_url: user.external_url,
      bio_links: user.bio_links,
    },
    metrics: { followers: user.followers, following: user.following, posts: user.posts },
    account_type: {
      is_verified: user.is_verified,
      is_private: user.is_private,
      is_business_account: user.is_business_account,
      is_professional_account: user.is_professional_account,
    },
    business_info: {
      category_name: user.category_name,
      email: user.email,
      phone_number: user.phone_number,
    },
    content: {
      has_clips: user.has_clips,
      highlight_reel_count: user.highlight_reel_count,
      recent_posts: user.is_private === true ? [] : posts.map(postOf),
    },
    pagination: { end_cursor: list?.cursor ?? null },
  };
}
