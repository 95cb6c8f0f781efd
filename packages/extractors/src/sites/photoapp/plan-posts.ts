import { worst } from '../outcome.ts';
import { asFilled, asNumber } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SitePlan, SitesConfig } from '../types.ts';
import {
  anonymousSession,
  feedOfUser,
  legacyTimeline,
  loggedOutPosts,
  profilePage,
  readSession,
  type Session,
  timelineByName,
  webProfileInfo,
} from './calls.ts';
import {
  type Channel,
  collect,
  type Collected,
  http,
  isAbsent,
  isFinal,
  isOutcome,
  usernameOf,
  withoutDoubt,
} from './collect.ts';
import { extractPosts } from './posts.ts';
import { extractProfile } from './profile.ts';

export function* planPosts(input: SiteInput, config: SitesConfig): SitePlan {
  const username = usernameOf(input);
  const userId = asFilled(input['user_id']);
  const cursor = asFilled(input['cursor']);
  const wanted = asNumber(input['first']) ?? 12;
  const failures: SiteOutcome[] = [];
  let session = anonymousSession(config);
  let page: SiteOutcome | undefined;
  let isShown = false;
  if (username !== null && cursor === null) {
    const response = yield http(profilePage(username, config));
    session = readSession(response, config);
    page = extractPosts([response], input);
    if (isFinal(page)) return page;
    isShown = extractProfile([response], input).outcome === 'ok';
    if (isAbsent(page)) {
      // The call knows some whom the page denies; what neither knows is asked for no further.
      const info = extractPosts([yield http(webProfileInfo(username, config, session))], input);
      if (info.outcome === 'not_found') return worst([page, info]);
      if (isFinal(info)) return info;
    }
    if (page.outcome !== 'ok') failures.push(page);
  }
  for (const channel of postChannels({ username, userId, cursor, config, session })) {
    const result = yield* collect({ channel, extract: extractPosts, list: 'posts', wanted, cursor, input });
    if (!isOutcome(result)) return postsAnswer(result, input);
    if (isFinal(result)) return result;
    failures.push(result);
  }
  if (username !== null && cursor === null) {
    const info = extractPosts([yield http(webProfileInfo(username, config, session))], input);
    if (info.outcome === 'ok' || isFinal(info)) return info;
    failures.push(info);
    if (page?.outcome === 'ok') return page;
  }
  return worst(isShown ? failures.map(withoutDoubt) : failures);
}

const postsAnswer = ({ items, userId, hasNext, cursor }: Collected, input: SiteInput): SiteOutcome => ({
  outcome: 'ok',
  data: {
    user_id: userId ?? asFilled(input['user_id']),
    posts: items,
    pagination: { has_next_page: hasNext, end_cursor: cursor },
  },
});

/** The cursor of the complete channels names the last item and its owner. */
const ITEM_CURSOR = /^\d+_\d+$/;

/** The ways to a page of posts, the one that speaks the cursor's language first. */
const postChannels = ({
  username,
  userId,
  cursor,
  config,
  session,
}: {
  username: string | null;
  userId: string | null;
  cursor: string | null;
  config: SitesConfig;
  session: Session;
}): Channel[] => {
  const context = { config, session };
  const named: Channel[] =
    username === null
      ? []
      : [
          { most: 33, request: (page) => timelineByName(username, page, context) },
          { most: 12, request: (page) => loggedOutPosts({ username }, page, context) },
        ];
  if (userId === null) return named;
  const feed: Channel = { most: 33, request: (page) => feedOfUser(userId, page, context) };
  const guest: Channel = { most: 12, request: (page) => loggedOutPosts({ id: userId }, page, context) };
  const legacy: Channel = { most: 50, request: (page) => legacyTimeline(userId, page, context) };
  const byId = cursor === null || ITEM_CURSOR.test(cursor) ? [feed, guest, legacy] : [guest, legacy, feed];
  return [...named, ...byId];
};
