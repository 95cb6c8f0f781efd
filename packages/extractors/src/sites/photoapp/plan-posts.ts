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
  collectedOf,
  foreignToken,
  http,
  idOf,
  isAbsent,
  isFinal,
  isOutcome,
  nextToken,
  startOf,
  withoutDoubt,
} from './collect.ts';
import { type ChannelName, channelOfPage, speakersOf } from './cursor.ts';
import { extractPosts } from './posts.ts';
import { extractProfile } from './profile.ts';

export function* planPosts(input: SiteInput, config: SitesConfig): SitePlan {
  const { carried, cursor, username } = startOf(input, 'cursor');
  const userId = asFilled(input['user_id']);
  const wanted = asNumber(input['first']) ?? 12;
  const isFirst = username !== null && cursor === null;
  const failures: SiteOutcome[] = [];
  let session = anonymousSession(config);
  let page: SiteOutcome | undefined;
  let pageChannel: ChannelName = 'guest';
  let isShown = false;
  let knownId = isFirst ? null : userId;
  const answer = (collected: Collected, channel: ChannelName): SiteOutcome =>
    postsAnswer(collected, channel, { knownId, username, input });
  if (isFirst) {
    const response = yield http(profilePage(username, config));
    session = readSession(response, config);
    page = extractPosts([response], input);
    pageChannel = channelOfPage(response.body);
    if (isFinal(page)) return page;
    const profile = extractProfile([response], input);
    isShown = profile.outcome === 'ok';
    knownId = idOf(profile);
    if (isAbsent(page)) {
      // The call finds some users that the page reports as missing. If neither finds the user, the plan ends.
      const info = extractPosts([yield http(webProfileInfo(username, config, session))], input);
      if (info.outcome === 'not_found') return worst([page, info]);
      if (isFinal(info)) return info;
    }
    if (page.outcome !== 'ok') failures.push(page);
  }
  const all = postChannels({ username, userId, cursor, config, session });
  for (const channel of carried ? speakersOf(all, carried) : all) {
    const result = yield* collect({ channel, extract: extractPosts, list: 'posts', wanted, cursor, input });
    if (!isOutcome(result)) return answer(result, channel.name);
    if (isFinal(result)) return result;
    failures.push(result);
  }
  if (isFirst) {
    const response = yield http(webProfileInfo(username, config, session));
    const info = extractPosts([response], input);
    if (info.outcome === 'ok') return answer(collectedOf(info.data, 'posts'), channelOfPage(response.body));
    if (isFinal(info)) return info;
    failures.push(info);
    if (page?.outcome === 'ok') return answer(collectedOf(page.data, 'posts'), pageChannel);
  }
  if (failures.length === 0) return foreignToken('cursor');
  return worst(isShown ? failures.map(withoutDoubt) : failures);
}

function postsAnswer(
  collected: Collected,
  channel: ChannelName,
  { knownId, username, input }: { knownId: string | null; username: string | null; input: SiteInput },
): SiteOutcome {
  const userId = knownId ?? collected.userId ?? asFilled(input['user_id']);
  return {
    outcome: 'ok',
    data: {
      user_id: userId,
      posts: collected.items,
      pagination: {
        has_next_page: collected.hasNext,
        end_cursor: nextToken(collected, { channel, userId, username }),
      },
    },
  };
}

/** The cursor of the complete channels names the last item and its owner. */
const ITEM_CURSOR = /^\d+_\d+$/;

/** The sources of a page of posts, first the one for the cursor's language. */
function postChannels({
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
}): Channel[] {
  const context = { config, session };
  const named: Channel[] =
    username === null
      ? []
      : [
          { name: 'timeline', most: 33, request: (page) => timelineByName(username, page, context) },
          { name: 'guest', most: 12, request: (page) => loggedOutPosts({ username }, page, context) },
        ];
  if (userId === null) return named;
  const feed: Channel = { name: 'feed', most: 33, request: (page) => feedOfUser(userId, page, context) };
  const guest: Channel = {
    name: 'guest_id',
    most: 12,
    request: (page) => loggedOutPosts({ id: userId }, page, context),
  };
  const legacy: Channel = {
    name: 'legacy',
    most: 50,
    request: (page) => legacyTimeline(userId, page, context),
  };
  const byId = cursor === null || ITEM_CURSOR.test(cursor) ? [feed, guest, legacy] : [guest, legacy, feed];
  return [...named, ...byId];
}
