// Data: the timeline connection of graphql/query, api/graphql and the profile page; items of api/v1/feed/user; edge_* pages.
// Seen: Apr 2018 to Jun 2026.
import { failed, ok, worst } from '../outcome.ts';
import { asFilled, first } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { readRoots } from './documents.ts';
import { findLists, ownerOf } from './lists.ts';
import { postOf } from './media.ts';
import { mergeUsers } from './user-view.ts';
import { findUsers } from './user.ts';
import { readWall } from './wall.ts';

export function extractPosts(responses: readonly SiteResponse[], input: SiteInput): SiteOutcome {
  const failures: SiteOutcome[] = [];
  for (const response of responses) {
    const roots = readRoots(response);
    const user = mergeUsers(findUsers(response, roots));
    const lists = findLists(roots).filter((list) => list.isStated);
    const list = lists.find((candidate) => candidate.items.length > 0) ?? lists[0];
    if (user?.is_private === true && (list?.items.length ?? 0) === 0) {
      failures.push(failed('private', 'is_private: only followers see the posts'));
    } else if (!list) {
      failures.push(
        user ? failed('unrecognised', 'a profile without its list of posts') : readWall(response, roots),
      );
    } else if (list.items.length === 0 && ((list.count ?? 0) > 0 || list.hasNext)) {
      failures.push(
        failed('blocked', `the posts were withheld: ${list.count ?? 'some'} counted, none listed`),
      );
    } else {
      return ok({
        user_id: first(user?.id, ownerOf(list.items), asFilled(input['user_id'])),
        posts: list.items.map(postOf),
        pagination: { has_next_page: list.hasNext, end_cursor: list.cursor },
      });
    }
  }
  return worst(failures);
}
