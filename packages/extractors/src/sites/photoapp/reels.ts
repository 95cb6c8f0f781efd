// Data: the clips connection of graphql/query, items of api/v1/clips/user; videos of the timeline fill what the reduced clips
// of 2026 lack, and stand in for them where there are none. Seen: Jan 2025 to Jun 2026.
import type { SiteResponses, SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { failed, ok, worst } from '../outcome.ts';
import { isObject } from '@gleaner/contracts/values';
import { at, filledAt, first } from '../read/value.ts';
import { readRoots } from './documents.ts';
import { findLists, type MediaList, ownerOf } from './lists.ts';
import { completeMedia, type Media, reelOf } from './media.ts';
import { mergeUsers } from './user-view.ts';
import { findUsers } from './user.ts';
import { readWall } from './wall.ts';

export function extractReels(responses: SiteResponses, input: SiteInput): SiteOutcome {
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
  const twinOf = twinsIn(timelines);
  return ok({
    user_id: first(
      userId,
      ownerOf(list.items),
      ownerOf(timelines.flatMap((timeline) => timeline.items)),
      filledAt(input, 'user_id'),
    ),
    reels: list.items.map((item) => {
      const twin = twinOf(item.shortcode);
      return reelOf(twin ? completeMedia(item, twin) : item);
    }),
    pagination: { has_next_page: list.hasNext, continuation: list.cursor },
  });
}

/** The timeline's videos, used without a list of reels. A timeline that withholds its posts doesn't count. */
function videosOf(timelines: readonly MediaList[]): MediaList | undefined {
  const timeline =
    timelines.find((list) => list.items.length > 0) ?? timelines.find((list) => list.count === 0);
  return timeline && { ...timeline, items: timeline.items.filter((item) => item.is_video === true) };
}

/** The twins of the reels in lists that show all of their fields, by their short code. */
function twinsIn(timelines: readonly MediaList[]): (shortcode: unknown) => Media | undefined {
  const items = timelines.flatMap((timeline) => timeline.items);
  const known = new Map<unknown, Media>(items.map((item) => [item.shortcode, item]));
  return (shortcode) => known.get(shortcode);
}

/** Fills what reels lack from a response of the timeline. */
export function completeReels(reels: readonly unknown[], timeline: SiteResponse): unknown[] {
  const twinOf = twinsIn(findLists(readRoots(timeline)).filter((list) => list.kind === 'timeline'));
  return reels.map((reel) => {
    const twin = twinOf(at(reel, 'shortcode'));
    return isObject(reel) && twin ? reelOf(completeMedia(reel, twin)) : reel;
  });
}
