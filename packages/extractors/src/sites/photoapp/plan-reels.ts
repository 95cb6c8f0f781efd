import { failed, worst } from '../outcome.ts';
import { arrayAt, asFilled, asNumber, at } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SitePlan, SiteRequest, SiteResponse, SitesConfig } from '../types.ts';
import {
  anonymousSession,
  clipsGraphql,
  clipsRest,
  feedOfUser,
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
  foreignToken,
  http,
  idOf,
  isFinal,
  isOutcome,
  nextToken,
  startOf,
  usernameOf,
  withoutDoubt,
} from './collect.ts';
import { type ChannelName, speakersOf } from './cursor.ts';
import { extractProfile } from './profile.ts';
import { extractReels } from './reels.ts';

export function* planReels(input: SiteInput, config: SitesConfig): SitePlan {
  const { carried, cursor, username } = startOf(input, 'continuation');
  const wanted = asNumber(input['page_size']) ?? 12;
  const found = yield* resolveUser(input, config);
  if ('outcome' in found) return found;
  const { userId, session, isShown } = found;
  const all = reelChannels({ username, userId, config, session });
  const isSite = (channel: Channel): boolean => channel.name.startsWith('clips');
  const isFirst = username !== null && cursor === null;
  const channels = carried
    ? speakersOf(all, carried)
    : all.filter((channel) => isSite(channel) || (isFirst && channel.name === 'timeline'));
  const asked = { ...input, user_id: userId };
  const failures: SiteOutcome[] = [];
  for (const channel of channels) {
    const walk = { channel, extract: extractReels, list: 'reels' as const, wanted, cursor, input: asked };
    const result = yield* collect(walk);
    if (!isOutcome(result)) {
      const after = cursor === null ? null : (carried?.lastId ?? null);
      const mayComplete = isSite(channel) && (cursor === null || after !== null);
      const from = after === null ? null : `${after}_${userId}`;
      const items = mayComplete
        ? yield* completed(result, { username, userId, from, context: { config, session } })
        : result.items;
      return reelsAnswer({ ...result, items }, { channel: channel.name, userId, username });
    }
    if (isFinal(result)) return result;
    failures.push(result);
  }
  if (failures.length === 0) return foreignToken('continuation');
  return worst(isShown ? failures.map(withoutDoubt) : failures);
}

/** The sources of a page of reels. Without a list of reels, the videos among the posts are used. */
function reelChannels({
  username,
  userId,
  config,
  session,
}: {
  username: string | null;
  userId: string;
  config: SitesConfig;
  session: Session;
}): Channel[] {
  const context = { config, session };
  const named: Channel[] =
    username === null
      ? []
      : [{ name: 'timeline', most: 33, request: (page) => timelineByName(username, page, context) }];
  return [
    { name: 'clips_graphql', most: 50, request: (page) => clipsGraphql(userId, page, context) },
    { name: 'clips_rest', most: 50, request: (page) => clipsRest(userId, page, context) },
    ...named,
    { name: 'feed', most: 33, request: (page) => feedOfUser(userId, page, context) },
  ];
}

/** The next page uses the id of the request, because collaborations have another owner. */
function reelsAnswer(
  collected: Collected,
  next: { channel: ChannelName; userId: string; username: string | null },
): SiteOutcome {
  return {
    outcome: 'ok',
    data: {
      user_id: next.userId,
      reels: collected.items,
      pagination: { has_next_page: collected.hasNext, continuation: nextToken(collected, next) },
    },
  };
}

function lacksTexts(items: readonly unknown[]): boolean {
  return (
    items.length > 0 && items.every((item) => at(item, 'caption') === null && at(item, 'video_url') === null)
  );
}

/** The reduced reels of 2026 have no captions, times and files. The timeline has them for the reels that it lists. */
function* completed(
  result: Collected,
  {
    username,
    userId,
    from,
    context,
  }: {
    username: string | null;
    userId: string;
    /** The timeline's cursor of the previous reel. */
    from: string | null;
    context: { config: SitesConfig; session: Session };
  },
): Generator<{ request: SiteRequest; mode: 'http' }, unknown[], SiteResponse> {
  if (username === null || !lacksTexts(result.items)) return result.items;
  const timeline = yield http(timelineByName(username, { count: 33, cursor: from }, context));
  const clips: SiteResponse = { url: '', status: 200, body: JSON.stringify(asClips(result)) };
  const joined = extractReels([clips, timeline], { user_id: userId });
  return joined.outcome === 'ok' ? arrayAt(joined.data, 'reels') : result.items;
}

/** The collected items in the shape of the site's own list, so that the join reads them like any response. */
function asClips({ items, hasNext, cursor }: Collected): unknown {
  return {
    items: items.map((reel) => ({
      media: {
        pk: at(reel, 'id'),
        code: at(reel, 'shortcode'),
        display_url: at(reel, 'display_url'),
        video_url: at(reel, 'video_url'),
        like_count: at(reel, 'likes'),
        comment_count: at(reel, 'comments'),
        play_count: at(reel, 'plays'),
        taken_at: at(reel, 'timestamp'),
        caption: at(reel, 'caption'),
      },
    })),
    paging_info: { max_id: cursor, more_available: hasNext },
  };
}

interface Asked {
  userId: string;
  session: Session;
  /** The page or the call showed the profile. */
  isShown: boolean;
}

/** The numeric id for requests of reels, from the page or the call. */
function* resolveUser(
  input: SiteInput,
  config: SitesConfig,
): Generator<{ request: SiteRequest; mode: 'http' }, Asked | SiteOutcome, SiteResponse> {
  const known = asFilled(input['user_id']);
  if (known !== null) return { userId: known, session: anonymousSession(config), isShown: false };
  const username = usernameOf(input) ?? '';
  const page = yield http(profilePage(username, config));
  const session = readSession(page, config);
  const ofPage = extractProfile([page], input);
  if (isPrivate(ofPage)) return hidden();
  const id = idOf(ofPage);
  if (id !== null) return { userId: id, session, isShown: true };
  const ofCall = extractProfile([yield http(webProfileInfo(username, config, session))], input);
  if (isPrivate(ofCall)) return hidden();
  const called = idOf(ofCall);
  if (called !== null) return { userId: called, session, isShown: true };
  return worst([ofPage, ofPage.outcome === 'ok' ? withoutDoubt(ofCall) : ofCall]);
}

function isPrivate(outcome: SiteOutcome): boolean {
  return outcome.outcome === 'ok' && at(outcome.data, 'account_type', 'is_private') === true;
}

/** For guests, the calls return an empty list as if there were no reels. */
function hidden(): SiteOutcome {
  return failed('private', 'is_private: only followers see the reels');
}
