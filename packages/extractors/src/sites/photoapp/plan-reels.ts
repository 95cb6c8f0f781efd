import { failed, worst } from '../outcome.ts';
import { asFilled, asNumber, at } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SitePlan, SiteRequest, SiteResponse, SitesConfig } from '../types.ts';
import {
  anonymousSession,
  clipsGraphql,
  clipsRest,
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
  isFinal,
  isOutcome,
  usernameOf,
  withoutDoubt,
} from './collect.ts';
import { extractProfile } from './profile.ts';
import { extractReels } from './reels.ts';

export function* planReels(input: SiteInput, config: SitesConfig): SitePlan {
  const username = usernameOf(input);
  const cursor = asFilled(input['continuation']);
  const wanted = asNumber(input['page_size']) ?? 12;
  const found = yield* resolveUser(input, config);
  if ('outcome' in found) return found;
  const { userId, session, isShown } = found;
  const context = { config, session };
  const channels: Channel[] = [
    { most: 50, request: (page) => clipsGraphql(userId, page, context) },
    { most: 50, request: (page) => clipsRest(userId, page, context) },
  ];
  const asked = { ...input, user_id: userId };
  const failures: SiteOutcome[] = [];
  for (const channel of channels) {
    const result = yield* collect({
      channel,
      extract: extractReels,
      list: 'reels',
      wanted,
      cursor,
      input: asked,
    });
    if (!isOutcome(result)) return yield* completed({ result, username, userId, cursor, wanted, context });
    if (isFinal(result)) return result;
    failures.push(result);
  }
  if (username !== null && cursor === null) {
    const channel: Channel = { most: 33, request: (page) => timelineByName(username, page, context) };
    const result = yield* collect({
      channel,
      extract: extractReels,
      list: 'reels',
      wanted,
      cursor,
      input: asked,
    });
    if (!isOutcome(result)) return reelsAnswer(result, userId);
    failures.push(result);
  }
  return worst(isShown ? failures.map(withoutDoubt) : failures);
}

const reelsAnswer = ({ items, userId, hasNext, cursor }: Collected, asked: string): SiteOutcome => ({
  outcome: 'ok',
  data: {
    user_id: userId ?? asked,
    reels: items,
    pagination: { has_next_page: hasNext, continuation: cursor },
  },
});

const lacksTexts = (items: readonly unknown[]): boolean =>
  items.length > 0 && items.every((item) => at(item, 'caption') === null && at(item, 'video_url') === null);

/** The reduced reels of 2026 have no captions, times and files: the timeline has, for those that are on it. */
function* completed({
  result,
  username,
  userId,
  cursor,
  wanted,
  context,
}: {
  result: Collected;
  username: string | null;
  userId: string;
  cursor: string | null;
  wanted: number;
  context: { config: SitesConfig; session: Session };
}): SitePlan {
  const answer = reelsAnswer(result, userId);
  if (username === null || cursor !== null || !lacksTexts(result.items) || answer.outcome !== 'ok')
    return answer;
  const count = Math.min(33, Math.max(wanted, 12));
  const timeline = yield http(timelineByName(username, { count, cursor: null }, context));
  const clips: SiteResponse = { url: '', status: 200, body: JSON.stringify(asClips(result)) };
  const joined = extractReels([clips, timeline], { user_id: userId });
  return joined.outcome === 'ok' ? joined : answer;
}

/** What was collected, in the shape of the site's own list, so that the join reads it like any response. */
const asClips = ({ items, hasNext, cursor }: Collected): unknown => ({
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
});

interface Asked {
  userId: string;
  session: Session;
  /** The page or the call showed the profile. */
  isShown: boolean;
}

/** The numeric id that reels are asked by, from the page or the call. */
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

const isPrivate = (outcome: SiteOutcome): boolean =>
  outcome.outcome === 'ok' && at(outcome.data, 'account_type', 'is_private') === true;

/** The calls answer a guest with an empty list, as if there were no reels. */
const hidden = (): SiteOutcome => failed('private', 'is_private: only followers see the reels');

const idOf = (outcome: SiteOutcome): string | null =>
  outcome.outcome === 'ok' ? asFilled(at(outcome.data, 'identity', 'id')) : null;
