import { failed, worst } from '../outcome.ts';
import { at, filledAt } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SitePlan, SitesConfig, SiteSteps } from '../types.ts';
import {
  anonymousSession,
  type CallContext,
  profilePage,
  readSession,
  type Session,
  timelineByName,
  webProfileInfo,
} from './calls.ts';
import type { ChannelName } from './channels.ts';
import {
  answerOf,
  type Collected,
  collectFirst,
  foreignToken,
  idOf,
  startOf,
  usernameOf,
  type Walk,
  withoutDoubt,
} from './collect.ts';
import { extractProfile } from './profile.ts';
import { completeReels } from './reels.ts';

/** The site's own lists of reels. */
const OWN: readonly ChannelName[] = ['clips_graphql', 'clips_rest'];

/** Without a list of reels, the videos among the posts are used. */
function reelChannels({ carried, cursor, username }: Walk): ChannelName[] {
  if (carried) return [...OWN, 'timeline', 'feed'];
  return username !== null && cursor === null ? [...OWN, 'timeline'] : [...OWN];
}

export function* planReels(input: SiteInput, config: SitesConfig): SitePlan {
  const found = yield* resolveUser(input, config);
  if ('outcome' in found) return found;
  const { userId, session, isShown } = found;
  const walk: Walk = { ...startOf(input, 'reels'), input: { ...input, user_id: userId }, userId };
  const context = { config, session };
  const result = yield* collectFirst(reelChannels(walk), walk, context);
  // The next page uses the id of the request, because collaborations have another owner.
  if (!Array.isArray(result)) {
    const items = yield* completed(result, walk, context);
    return answerOf({ ...result, items }, { userId, username: walk.username });
  }
  if (result.length === 0) return foreignToken('reels');
  return worst(isShown ? result.map(withoutDoubt) : result);
}

function lacksTexts(items: readonly unknown[]): boolean {
  return (
    items.length > 0 && items.every((item) => at(item, 'caption') === null && at(item, 'video_url') === null)
  );
}

/** The reduced reels of 2026 have no captions, times and files. The timeline has them for the reels that it lists. */
function* completed(
  { items, channel }: Collected,
  { username, userId, carried, cursor }: Walk,
  context: CallContext,
): SiteSteps<unknown[]> {
  const after = cursor === null ? null : (carried?.lastId ?? null);
  const mayComplete = OWN.includes(channel) && (cursor === null || after !== null);
  if (!mayComplete || username === null || !lacksTexts(items)) return items;
  // The timeline's cursor of the previous reel.
  const from = after === null ? null : `${after}_${userId}`;
  return completeReels(items, yield timelineByName(username, { count: 33, cursor: from }, context));
}

interface Asked {
  userId: string;
  session: Session;
  /** The page or the call showed the profile. */
  isShown: boolean;
}

/** The numeric id for requests of reels, from the page or the call. */
function* resolveUser(input: SiteInput, config: SitesConfig): SiteSteps<Asked | SiteOutcome> {
  const known = filledAt(input, 'user_id');
  if (known !== null) return { userId: known, session: anonymousSession(config), isShown: false };
  const username = usernameOf(input) ?? '';
  const page = yield profilePage(username, config);
  const session = readSession(page, config);
  const ofPage = extractProfile([page], input);
  if (isPrivate(ofPage)) return hidden();
  const id = idOf(ofPage);
  if (id !== null) return { userId: id, session, isShown: true };
  const ofCall = extractProfile([yield webProfileInfo(username, { config, session })], input);
  if (isPrivate(ofCall)) return hidden();
  const called = idOf(ofCall);
  if (called !== null) return { userId: called, session, isShown: true };
  return worst([ofPage, ofPage.outcome === 'ok' ? withoutDoubt(ofCall) : ofCall]);
}

function isPrivate(outcome: SiteOutcome): boolean {
  return outcome.outcome === 'ok' && at(outcome.data, 'account_type.is_private') === true;
}

/** For guests, the calls return an empty list as if there were no reels. */
function hidden(): SiteOutcome {
  return failed('private', 'is_private: only followers see the reels');
}
