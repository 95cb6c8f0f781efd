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
  guest: {
    language: 'guest',
    most: 12,
    by: 'username',
    request: (username, page, context) => loggedOutPosts({ username }, page, context),
  },
  guest_id: {
    language: 'guest',
    most: 12,
    by: 'userId',
    request: (id, page, context) => loggedOutPosts({ id }, page, context),
  },
  legacy: { language: 'legacy', most: 50, by: 'userId', request: legacyTimeline },
  clips_graphql: { language: 'clips_graphql', most: 50, by: 'userId', request: clipsGraphql },
  clips_rest: { language: 'clips_rest', most: 50, by: 'userId', request: clipsRest },
} as const satisfies Record<string, Channel>;

export type ChannelName = keyof typeof CHANNELS;

export function isChannelName(name: unknown): name is ChannelName {
  return typeof name === 'string' && Object.hasOwn(CHANNELS, name);
}

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
