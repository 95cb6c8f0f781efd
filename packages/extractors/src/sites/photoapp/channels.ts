import { parseJson } from '../read/json.ts';
import { at, filledAt } from '../read/value.ts';
import type { SiteRequest } from '../types.ts';
import {
  type CallContext,
  clipsGraphql,
  clipsRest,
  feedOfUser,
  legacyTimeline,
  loggedOutPosts,
  type PageOf,
  timelineByName,
} from './calls.ts';

/** A source of a list. */
export interface Channel {
  /** Channels of one language accept each other's cursors: `item` is "<last item>_<user>", the others are opaque. */
  language: 'item' | 'guest' | 'legacy' | 'clips_graphql' | 'clips_rest';
  /** Items per page. */
  most: number;
  /** How its requests name the user. */
  by: 'username' | 'userId';
  request: (who: string, page: PageOf, context: CallContext) => SiteRequest;
}

export const CHANNELS = {
  timeline: { language: 'item', most: 33, by: 'username', request: timelineByName },
  feed: { language: 'item', most: 33, by: 'userId', request: feedOfUser },
  guest: { language: 'guest', most: 12, by: 'username', request: loggedOutPosts('username') },
  guest_id: { language: 'guest', most: 12, by: 'userId', request: loggedOutPosts('id') },
  legacy: { language: 'legacy', most: 50, by: 'userId', request: legacyTimeline },
  clips_graphql: { language: 'clips_graphql', most: 50, by: 'userId', request: clipsGraphql },
  clips_rest: { language: 'clips_rest', most: 50, by: 'userId', request: clipsRest },
} as const satisfies Record<string, Channel>;

export type ChannelName = keyof typeof CHANNELS;

const CHANNEL_NAMES = Object.keys(CHANNELS) as ChannelName[];

/** The channels that can continue from a cursor of `own`: itself first, then those of its language. */
export function speakersOf(channels: readonly ChannelName[], own: ChannelName): ChannelName[] {
  const speakers = channels.filter((name) => CHANNELS[name].language === CHANNELS[own].language);
  return speakers.toSorted((a, b) => Number(b === own) - Number(a === own));
}

/** The channel whose cursor is in a profile page or a response of web_profile_info. */
export function channelOfPage(body: string): ChannelName {
  if (body.includes('xdt_api__v1__feed__user_timeline')) return 'timeline';
  return body.includes('polaris_ordered_timeline_connection') ? 'guest' : 'legacy';
}

/** The data that a later page needs in addition to the user id, which the client also sends. */
export interface PlanCursor {
  channel: ChannelName;
  /** The site's own cursor. */
  native: string;
  userId: string;
  username: string | null;
  /** Id of the last item of the page before. */
  lastId: string | null;
}

const PREFIX = 'gl1.';

/** The maximum length in the inputs of the APIs. */
const MAX_LENGTH = 16_384;

/** Encodes an opaque token. A site's cursor that would become too long stays unchanged. */
export function encodeCursor({ channel, native, userId, username, lastId }: PlanCursor): string {
  const fields = { c: channel, n: native, i: userId, u: username, l: lastId };
  const token = PREFIX + Buffer.from(JSON.stringify(fields)).toString('base64url');
  return token.length <= MAX_LENGTH ? token : native;
}

/** Decodes a token. Null for a site's own cursor and any text that is not exactly a token, because clients send it. */
export function decodeCursor(token: string | null): PlanCursor | null {
  if (token === null || !token.startsWith(PREFIX)) return null;
  const fields = parseJson(Buffer.from(token.slice(PREFIX.length), 'base64url').toString('utf8'));
  const native = filledAt(fields, 'n');
  const userId = matching(at(fields, 'i'), /^\d{1,20}$/);
  const channel = CHANNEL_NAMES.find((name) => name === at(fields, 'c'));
  if (native === null || userId === null || channel === undefined) return null;
  return {
    channel,
    native,
    userId,
    username: matching(at(fields, 'u'), /^(?!\.+$)[A-Za-z0-9._]{1,30}$/),
    lastId: matching(at(fields, 'l'), /^\d{1,25}$/),
  };
}

function matching(value: unknown, rule: RegExp): string | null {
  return typeof value === 'string' && rule.test(value) ? value : null;
}
