import { worst } from '../outcome.ts';
import type { SiteInput, SiteOutcome, SitePlan, SitesConfig } from '../types.ts';
import { anonymousSession, profilePage, readSession, webProfileInfo } from './calls.ts';
import { type ChannelName, channelOfPage } from './channels.ts';
import {
  answerOf,
  type Collected,
  collectedOf,
  collectFirst,
  foreignToken,
  idOf,
  isAbsent,
  isFinal,
  startOf,
  withoutDoubt,
} from './collect.ts';
import { extractPosts } from './posts.ts';
import { extractProfile } from './profile.ts';

/** The cursor of the complete channels names the last item and its owner. */
const ITEM_CURSOR = /^\d+_\d+$/;

/** The sources of a page of posts, first the one for the cursor's language. */
function postChannels(cursor: string | null): ChannelName[] {
  return cursor === null || ITEM_CURSOR.test(cursor)
    ? ['timeline', 'guest', 'feed', 'guest_id', 'legacy']
    : ['timeline', 'guest', 'guest_id', 'legacy', 'feed'];
}

export function* planPosts(input: SiteInput, config: SitesConfig): SitePlan {
  const walk = startOf(input, 'posts');
  const { username, cursor } = walk;
  const isFirst = username !== null && cursor === null;
  const failures: SiteOutcome[] = [];
  let session = anonymousSession(config);
  let ofPage: Collected | undefined;
  let isShown = false;
  let knownId = isFirst ? null : walk.userId;
  const answer = (collected: Collected): SiteOutcome =>
    answerOf(collected, { userId: knownId ?? collected.userId ?? walk.userId, username });
  if (isFirst) {
    const response = yield profilePage(username, config);
    session = readSession(response, config);
    const page = extractPosts([response], input);
    if (isFinal(page)) return page;
    const profile = extractProfile([response], input);
    isShown = profile.outcome === 'ok';
    knownId = idOf(profile);
    if (isAbsent(page)) {
      // The call finds some users that the page reports as missing. If neither finds the user, the plan ends.
      const info = extractPosts([yield webProfileInfo(username, { config, session })], input);
      if (info.outcome === 'not_found') return worst([page, info]);
      if (isFinal(info)) return info;
    }
    if (page.outcome !== 'ok') failures.push(page);
    else ofPage = collectedOf(page.data, { list: 'posts', channel: channelOfPage(response.body) });
  }
  const found = yield* collectFirst(postChannels(cursor), walk, { config, session });
  if (!Array.isArray(found)) return answer(found);
  failures.push(...found);
  if (isFirst && !found.some(isFinal)) {
    const response = yield webProfileInfo(username, { config, session });
    const info = extractPosts([response], input);
    if (info.outcome === 'ok') {
      return answer(collectedOf(info.data, { list: 'posts', channel: channelOfPage(response.body) }));
    }
    failures.push(info);
    if (ofPage && !isFinal(info)) return answer(ofPage);
  }
  if (failures.length === 0) return foreignToken('posts');
  return worst(isShown ? failures.map(withoutDoubt) : failures);
}
