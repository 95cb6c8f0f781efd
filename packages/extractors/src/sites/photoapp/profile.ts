// Page: /{username}/, its embed, or the answer of api/v1/users/web_profile_info.
// Data: data-sjs scripts with xig_user_by_username; data.user (edge_* names); user (REST names); meta elements as a last resort.
// Seen: Dec 2017 to Jul 2026.
import { type JsonObject, pick, filledAt } from '../read/value.ts';
import type { SiteResponses, SiteInput, SiteOutcome } from '../types.ts';
import { PREBUILT_APIS } from '@gleaner/contracts';
import { ok, worst } from '../outcome.ts';
import { readRoots } from './documents.ts';
import { findLists, type MediaList } from './lists.ts';
import { completeMedia, type Media, postOf } from './media.ts';
import { mergeUsers, type UserView } from './user-view.ts';
import { findUsers } from './user.ts';
import { readWall } from './wall.ts';

export function extractProfile(responses: SiteResponses, _input: SiteInput): SiteOutcome {
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
  if (!user || (filledAt(user, 'username') === null && filledAt(user, 'id') === null)) return worst(failures);
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
    if (twin) filled = completeMedia(filled, twin);
  }
  return filled;
}

const PROFILE = PREBUILT_APIS['photoapp-profile'].output.shape;

function profileOf(user: UserView, lists: readonly MediaList[]): JsonObject {
  const list = lists.find((candidate) => candidate.items.length > 0) ?? lists[0];
  const posts = (list?.items ?? []).map((item) => completed(item, lists));
  return {
    identity: pick(PROFILE.identity.shape, { ...user, bio_links: user.bio_links ?? [] }),
    metrics: pick(PROFILE.metrics.shape, user),
    account_type: pick(PROFILE.account_type.shape, user),
    business_info: pick(PROFILE.business_info.shape, user),
    content: {
      has_clips: user.has_clips ?? null,
      highlight_reel_count: user.highlight_reel_count ?? null,
      recent_posts: user.is_private === true ? [] : posts.map(postOf),
    },
    pagination: { end_cursor: list?.cursor ?? null },
  };
}
