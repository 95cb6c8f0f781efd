import { asFilled, at } from '../read/value.ts';

/** A source of a list. Each kind of response has its own language of cursors; see `LANGUAGES`. */
export type ChannelName =
  | 'timeline'
  | 'feed'
  | 'guest'
  | 'guest_id'
  | 'legacy'
  | 'clips_graphql'
  | 'clips_rest';

/** Channels of the same language accept each other's cursors: `item` is "<last item>_<user>", the others are opaque. */
const LANGUAGES: Readonly<Record<ChannelName, string>> = {
  timeline: 'item',
  feed: 'item',
  guest: 'guest',
  guest_id: 'guest',
  legacy: 'legacy',
  clips_graphql: 'clips_graphql',
  clips_rest: 'clips_rest',
};

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
  const fields = parsed(Buffer.from(token.slice(PREFIX.length), 'base64url').toString('utf8'));
  const native = asFilled(at(fields, 'n'));
  const userId = matching(at(fields, 'i'), /^\d{1,20}$/);
  const channel = channelOf(at(fields, 'c'));
  if (native === null || userId === null || channel === null) return null;
  return {
    channel,
    native,
    userId,
    username: matching(at(fields, 'u'), /^(?!\.+$)[A-Za-z0-9._]{1,30}$/),
    lastId: matching(at(fields, 'l'), /^\d{1,25}$/),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function matching(value: unknown, rule: RegExp): string | null {
  return typeof value === 'string' && rule.test(value) ? value : null;
}

function channelOf(name: unknown): ChannelName | null {
  for (const known of [
    'timeline',
    'feed',
    'guest',
    'guest_id',
    'legacy',
    'clips_graphql',
    'clips_rest',
  ] as const)
    if (name === known) return known;
  return null;
}

/** The channels that can continue from a cursor: its own first, then those of its language. */
export function speakersOf<C extends { name: ChannelName }>(
  channels: readonly C[],
  { channel }: PlanCursor,
): C[] {
  const speakers = channels.filter(({ name }) => LANGUAGES[name] === LANGUAGES[channel]);
  return speakers.toSorted((a, b) => Number(b.name === channel) - Number(a.name === channel));
}

/** The language of the cursor in a profile page or a response of web_profile_info. */
export function channelOfPage(body: string): ChannelName {
  return body.includes('xdt_api__v1__feed__user_timeline')
    ? 'timeline'
    : body.includes('polaris_ordered_timeline_connection')
      ? 'guest'
      : 'legacy';
}
