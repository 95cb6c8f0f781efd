// Data: the timeline connection of graphql/query, api/graphql and the profile page; items of api/v1/feed/user; edge_* pages.
// Seen: Apr 2018 to Jun 2026.
import type { SiteResponses, SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { failed, firstReadable, ok } from '../outcome.ts';
import { filledAt, first } from '../read/value.ts';
import { readRoots } from './documents.ts';
import { findLists, ownerOf } from './lists.ts';
import { postOf } from './media.ts';
import { mergeUsers } from './user-view.ts';
import { findUsers } from './user.ts';
import { readWall } from './wall.ts';

export function extractPosts(responses: SiteResponses, input: SiteInput): SiteOutcome {
  return firstReadable(responses, (response) => readPosts(response, input));
}

function readPosts(response: SiteResponse, input: SiteInput): SiteOutcome {
  const roots = readRoots(response);
  const user = mergeUsers(findUsers(response, roots));
  const lists = findLists(roots).filter((list) => list.isStated);
  const list = lists.find((candidate) => candidate.items.length > 0) ?? lists[0];
  if (user?.is_private === true && (list?.items.length ?? 0) === 0)
    return failed('private', 'is_private: only followers see the posts');
  if (!list) {
    return user ? failed('unrecognised', 'a profile without its list of posts') : readWall(response, roots);
  }
  if (list.items.length === 0 && ((list.count ?? 0) > 0 || list.hasNext))
    return failed('blocked', `the posts were withheld: ${list.count ?? 'some'} counted, none listed`);
  return ok({
    user_id: first(user?.id, ownerOf(list.items), filledAt(input, 'user_id')),
    posts: list.items.map(postOf),
    pagination: { has_next_page: list.hasNext, end_cursor: list.cursor },
  });
}
