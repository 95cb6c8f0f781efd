import { worst } from '../outcome.ts';
import { asFilled, asNumber, asText, at, arrayAt } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SitePlan, SiteRequest, SiteResponse, SitesConfig } from '../types.ts';
import {
  anonymousSession,
  clipsGraphql,
  clipsRest,
  embedPage,
  feedOfUser,
  legacyTimeline,
  loggedOutPosts,
  type PageOf,
  profilePage,
  readSession,
  type Session,
  timelineByName,
  webProfileInfo,
} from './calls.ts';
import { extractPosts } from './posts.ts';
import { extractProfile } from './profile.ts';
import { extractReels } from './reels.ts';

const usernameOf = (input: SiteInput): string | null =>
  asFilled(input['username'])?.replace(/^@/, '') ?? null;

const http = (request: SiteRequest): { request: SiteRequest; mode: 'http' } => ({ request, mode: 'http' });

/** Meta elements alone know nothing of the account's type; the call does. */
const isComplete = (outcome: SiteOutcome): boolean =>
  outcome.outcome === 'ok' &&
  at(outcome.data, 'account_type', 'is_verified') !== null &&
  at(outcome.data, 'identity', 'id') !== null &&
  at(outcome.data, 'metrics', 'posts') !== null;

const isAbsent = (outcome: SiteOutcome): boolean =>
  outcome.outcome === 'not_found' && /status 404/.test(outcome.evidence);

export function* planProfile(input: SiteInput, config: SitesConfig): SitePlan {
  const username = usernameOf(input) ?? '';
  const responses: SiteResponse[] = [yield http(profilePage(username, config))];
  const ofPage = extractProfile(responses, input);
  if (isComplete(ofPage)) return ofPage;
  const session = responses[0] ? readSession(responses[0], config) : anonymousSession(config);
  const info = yield http(webProfileInfo(username, config, session));
  const ofCall = extractProfile([info], input);
  if (ofPage.outcome !== 'ok' && ofCall.outcome === 'not_found') return worst([ofPage, ofCall]);
  responses.push(info);
  const ofBoth = extractProfile(responses, input);
  if (isComplete(ofBoth)) return ofBoth;
  responses.push(yield http(embedPage(username, config)));
  const ofAll = extractProfile(responses, input);
  return ofAll.outcome === 'ok' ? ofAll : worst([ofPage, ofCall, ofAll]);
}

/** What a walk over pages collects. */
interface Collected {
  items: unknown[];
  userId: string | null;
  hasNext: boolean;
  cursor: string | null;
}

interface Channel {
  /** How many this way in gives at once. */
  most: number;
  request: (page: PageOf) => SiteRequest;
}

type Extract = (responses: readonly SiteResponse[], input: SiteInput) => SiteOutcome;

const MAX_PAGES = 5;

/** Pages through one way in until `wanted` items are there or the list ends. Null with the reason when its first page fails. */
function* collect({
  channel,
  extract,
  list,
  wanted,
  cursor,
  input,
}: {
  channel: Channel;
  extract: Extract;
  list: 'posts' | 'reels';
  wanted: number;
  cursor: string | null;
  input: SiteInput;
}): Generator<{ request: SiteRequest; mode: 'http' }, Collected | SiteOutcome, SiteResponse> {
  const collected: Collected = { items: [], userId: null, hasNext: false, cursor };
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const count = Math.min(channel.most, wanted - collected.items.length);
    const response = yield http(channel.request({ count, cursor: collected.cursor }));
    const outcome = extract([response], input);
    if (outcome.outcome !== 'ok') return page === 0 ? outcome : collected;
    const { data } = outcome;
    const next =
      asFilled(at(data, 'pagination', 'end_cursor')) ?? asFilled(at(data, 'pagination', 'continuation'));
    const isStuck = next === null || next === collected.cursor;
    collected.items.push(...arrayAt(data, list));
    collected.userId ??= asText(data['user_id']);
    collected.hasNext = at(data, 'pagination', 'has_next_page') === true;
    collected.cursor = next;
    if (!collected.hasNext || isStuck || collected.items.length >= wanted) break;
  }
  return collected;
}

const isOutcome = (result: Collected | SiteOutcome): result is SiteOutcome => 'outcome' in result;

const isFinal = (outcome: SiteOutcome): boolean => outcome.outcome === 'private';

export function* planPosts(input: SiteInput, config: SitesConfig): SitePlan {
  const username = usernameOf(input);
  const userId = asFilled(input['user_id']);
  const cursor = asFilled(input['cursor']);
  const wanted = asNumber(input['first']) ?? 12;
  const failures: SiteOutcome[] = [];
  let session = anonymousSession(config);
  let page: SiteOutcome | undefined;
  if (username !== null && cursor === null) {
    const response = yield http(profilePage(username, config));
    session = readSession(response, config);
    page = extractPosts([response], input);
    if (isFinal(page)) return page;
    if (isAbsent(page)) {
      // The call knows some whom the page denies; what neither knows is asked for no further.
      const info = extractPosts([yield http(webProfileInfo(username, config, session))], input);
      if (info.outcome === 'not_found' || isFinal(info)) return info;
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
  return worst(failures);
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

export function* planReels(input: SiteInput, config: SitesConfig): SitePlan {
  const username = usernameOf(input);
  const cursor = asFilled(input['continuation']);
  const wanted = asNumber(input['page_size']) ?? 12;
  const found = yield* resolveUser(input, config);
  if ('outcome' in found) return found;
  const { userId, session } = found;
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
  return worst(failures);
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

/** The numeric id that reels are asked by, from the page or the call. */
function* resolveUser(
  input: SiteInput,
  config: SitesConfig,
): Generator<
  { request: SiteRequest; mode: 'http' },
  { userId: string; session: Session } | SiteOutcome,
  SiteResponse
> {
  const known = asFilled(input['user_id']);
  if (known !== null) return { userId: known, session: anonymousSession(config) };
  const username = usernameOf(input) ?? '';
  const page = yield http(profilePage(username, config));
  const session = readSession(page, config);
  const ofPage = extractProfile([page], input);
  const id = idOf(ofPage);
  if (id !== null) return { userId: id, session };
  const ofCall = extractProfile([yield http(webProfileInfo(username, config, session))], input);
  const called = idOf(ofCall);
  if (called !== null) return { userId: called, session };
  return worst([ofPage, ofCall]);
}

const idOf = (outcome: SiteOutcome): string | null =>
  outcome.outcome === 'ok' ? asFilled(at(outcome.data, 'identity', 'id')) : null;
