import { failed, isDoubtful, worst } from '../outcome.ts';
import { at, countAt, filledAt, flagAt } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SitePlan, SitesConfig, SiteSteps, Site } from '../types.ts';
import {
  anonymousSession,
  type CallContext,
  embedPage,
  profilePage,
  readSession,
  type Session,
  timelineByName,
  webProfileInfo,
} from './calls.ts';
import { type ChannelName, channelOfPage } from './channels.ts';
import {
  answerOf,
  type Collected,
  collectedOf,
  collectFirst,
  foreignToken,
  isFinal,
  startOf,
  usernameOf,
  type Walk,
} from './collect.ts';
import { extractPosts } from './posts.ts';
import { extractProfile } from './profile.ts';
import { completeReels, extractReels } from './reels.ts';
import { checkUsername } from '../read/url.ts';

function isAbsent(outcome: SiteOutcome): boolean {
  return outcome.outcome === 'not_found' && /status 404/.test(outcome.evidence);
}

/** When the page shows the user, a call that doesn't find the user is not evidence. */
function withoutDoubt(outcome: SiteOutcome): SiteOutcome {
  return outcome.outcome !== 'ok' && outcome.isDoubtful
    ? failed('unrecognised', `${outcome.evidence} to a call, but the page shows the profile`)
    : outcome;
}

const ID = 'data.identity.id';

/** Meta elements don't contain the account's type; the call does. */
function isComplete(outcome: SiteOutcome): boolean {
  const isVerified = flagAt(outcome, 'data.account_type.is_verified');
  return (
    isVerified !== null && filledAt(outcome, ID) !== null && countAt(outcome, 'data.metrics.posts') !== null
  );
}

function* planProfile(input: SiteInput, config: SitesConfig): SitePlan {
  const username = usernameOf(input) ?? '';
  const page = yield profilePage(username, config);
  const ofPage = extractProfile([page], input);
  // The logged-out page lacks the business fields, the large picture and the counts of posts; the call has them.
  const knowsBusiness = flagAt(ofPage, 'data.account_type.is_business_account') !== null;
  if (isComplete(ofPage) && knowsBusiness) return ofPage;
  const info = yield webProfileInfo(username, { config, session: readSession(page, config) });
  const ofCall = extractProfile([info], input);
  const isAbsent = ofCall.outcome === 'not_found' && (!isDoubtful(ofCall) || ofPage.outcome === 'not_found');
  if (ofPage.outcome !== 'ok' && isAbsent) return worst([ofPage, ofCall]);
  const ofBoth = extractProfile([page, info], input);
  if (isComplete(ofBoth)) return ofBoth;
  const ofAll = extractProfile([page, info, yield embedPage(username, config)], input);
  return ofAll.outcome === 'ok' ? ofAll : worst([ofPage, ofCall, ofAll]);
}

/** The cursor of the complete channels names the last item and its owner. */
const ITEM_CURSOR = /^\d+_\d+$/;

/** The sources of a page of posts, first the one for the cursor's language. */
function postChannels(cursor: string | null): ChannelName[] {
  return cursor === null || ITEM_CURSOR.test(cursor)
    ? ['timeline', 'guest', 'feed', 'guest_id', 'legacy']
    : ['timeline', 'guest', 'guest_id', 'legacy', 'feed'];
}

function* planPosts(input: SiteInput, config: SitesConfig): SitePlan {
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
    knownId = filledAt(profile, ID);
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

/** The site's own lists of reels. */
const OWN: readonly ChannelName[] = ['clips_graphql', 'clips_rest'];

/** Without a list of reels, the videos among the posts are used. */
function reelChannels({ carried, cursor, username }: Walk): ChannelName[] {
  if (carried) return [...OWN, 'timeline', 'feed'];
  return username !== null && cursor === null ? [...OWN, 'timeline'] : [...OWN];
}

function* planReels(input: SiteInput, config: SitesConfig): SitePlan {
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

/** For guests, the calls return an empty list as if there were no reels. */
const HIDDEN = failed('private', 'is_private: only followers see the reels');

/** The numeric id for requests of reels, from the page or the call. */
function* resolveUser(input: SiteInput, config: SitesConfig): SiteSteps<Asked | SiteOutcome> {
  const known = filledAt(input, 'user_id');
  if (known !== null) return { userId: known, session: anonymousSession(config), isShown: false };
  const username = usernameOf(input) ?? '';
  const page = yield profilePage(username, config);
  const session = readSession(page, config);
  const ofPage = extractProfile([page], input);
  if (isPrivate(ofPage)) return HIDDEN;
  const id = filledAt(ofPage, ID);
  if (id !== null) return { userId: id, session, isShown: true };
  const ofCall = extractProfile([yield webProfileInfo(username, { config, session })], input);
  if (isPrivate(ofCall)) return HIDDEN;
  const called = filledAt(ofCall, ID);
  if (called !== null) return { userId: called, session, isShown: true };
  return worst([ofPage, ofPage.outcome === 'ok' ? withoutDoubt(ofCall) : ofCall]);
}

function isPrivate(outcome: SiteOutcome): boolean {
  return flagAt(outcome, 'data.account_type.is_private') === true;
}

export const PHOTOAPP = {
  'photoapp-profile': { extract: extractProfile, plan: planProfile, check: checkUsername },
  'photoapp-reels': { extract: extractReels, plan: planReels, check: checkUsername },
  'photoapp-posts': { extract: extractPosts, plan: planPosts, check: checkUsername },
} satisfies Record<string, Site>;
