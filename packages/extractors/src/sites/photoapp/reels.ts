// Data: the clips connection of graphql/query, items of api/v1/clips/user; videos of the timeline fill what the reduced clips
// of 2026 lack, and stand in for them where there are none. Seen: Jan 2025 to Jun 2026.
import { failed, ok, worst } from '../outcome.ts';
import { asFilled, first } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { readRoots } from './documents.ts';
import { findLists, type MediaList, ownerOf } from './lists.ts';
import { type Media, reelOf } from './media.ts';
import { mergeUsers } from './user-view.ts';
import { findUsers } from './user.ts';
import { readWall } from './wall.ts';

export function extractReels(responses: readonly SiteResponse[], input: SiteInput): SiteOutcome {
  const clips: MediaList[] = [];
  const timelines: MediaList[] = [];
  const failures: SiteOutcome[] = [];
  let userId: string | null = null;
  for (const response of responses) {
    const roots = readRoots(response);
    const user = mergeUsers(findUsers(response, roots));
    const lists = findLists(roots).filter((list) => list.isStated);
    clips.push(...lists.filter((list) => list.kind === 'clips'));
    timelines.push(...lists.filter((list) => list.kind === 'timeline'));
    userId ??= user?.id ?? null;
    const hasItems = lists.some((list) => list.items.length > 0);
    if (user?.is_private === true && !hasItems)
      failures.push(failed('private', 'is_private: only followers see the reels'));
    else if (lists.length === 0) {
      failures.push(user ? failed('unrecognised', 'a profile without its reels') : readWall(response, roots));
    }
  }
  const hidden = failures.find((failure) => failure.outcome === 'private');
  const list = clips[0] ?? videosOf(timelines);
  if (!list || (hidden && list.items.length === 0)) return hidden ?? worst(failures);
  const known = new Map(
    timelines.flatMap((timeline) => timeline.items).map((item) => [item.shortcode, item]),
  );
  return ok({
    user_id: first(
      userId,
      ownerOf(list.items),
      ownerOf(timelines.flatMap((timeline) => timeline.items)),
      asFilled(input['user_id']),
    ),
    reels: list.items.map((item) => reelOf(filled(item, known.get(item.shortcode)))),
    pagination: { has_next_page: list.hasNext, continuation: list.cursor },
  });
}

/** The timeline's videos, used without a list of reels. A timeline that withholds its posts doesn't count. */
function videosOf(timelines: readonly MediaList[]): MediaList | undefined {
  const timeline =
    timelines.find((list) => list.items.length > 0) ?? timelines.find((list) => list.count === 0);
  return timeline && { ...timeline, items: timeline.items.filter((item) => item.is_video === true) };
}

function filled(item: Media, twin: Media | undefined): Media {
  if (!twin) return item;
  return {
    ...item,
    display_url: first(item.display_url, twin.display_url),
    video_url: first(item.video_url, twin.video_url),
    likes: first(item.likes, twin.likes),
    comments: first(item.comments, twin.comments),
    plays: first(item.plays, twin.plays),
    // The timeline's time is the site's own; the reduced item's may be derived from its id.
    timestamp: first(twin.timestamp, item.timestamp),
    caption: first(item.caption, twin.caption),
  };
}
