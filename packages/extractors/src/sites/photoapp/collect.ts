import { arrayAt, filledAt, flagAt, numberAt, textAt } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SiteSteps } from '../types.ts';
import type { CallContext } from './calls.ts';
import {
  type ChannelName,
  CHANNELS,
  decodeCursor,
  encodeCursor,
  type PlanCursor,
  speakersOf,
} from './channels.ts';
import { extractPosts } from './posts.ts';
import { extractReels } from './reels.ts';

export function usernameOf(input: SiteInput): string | null {
  return filledAt(input, 'username')?.replace(/^@/, '') ?? null;
}

export function isFinal(outcome: SiteOutcome): boolean {
  return outcome.outcome === 'private';
}

/** Each list with its reader, the names of the input's fields, and where the response has the next page's token. */
const LISTS = {
  posts: { read: extractPosts, token: 'cursor', size: 'first', next: 'end_cursor' },
  reels: { read: extractReels, token: 'continuation', size: 'page_size', next: 'continuation' },
} as const;

export type ListName = keyof typeof LISTS;

/** The result of a walk over pages. */
export interface Collected {
  list: ListName;
  channel: ChannelName;
  items: unknown[];
  userId: string | null;
  hasNext: boolean;
  cursor: string | null;
}

/** The items of one response. */
export function collectedOf(
  data: Record<string, unknown>,
  { list, channel }: Pick<Collected, 'list' | 'channel'>,
): Collected {
  return {
    list,
    channel,
    items: arrayAt(data, list),
    userId: textAt(data, 'user_id'),
    hasNext: flagAt(data, 'pagination.has_next_page') === true,
    cursor: filledAt(data, `pagination.${LISTS[list].next}`),
  };
}

/** Where a walk starts, and over what. */
export interface Walk {
  list: ListName;
  input: SiteInput;
  wanted: number;
  username: string | null;
  userId: string | null;
  /** The content of the token; null on a first page and for a site's own cursor. */
  carried: PlanCursor | null;
  /** The site's own cursor. */
  cursor: string | null;
}

/** Reads the input. Its user id counts; the token's name is ignored when the token has another id. */
export function startOf(input: SiteInput, list: ListName): Walk {
  const { token: field, size } = LISTS[list];
  const token = filledAt(input, field);
  const userId = filledAt(input, 'user_id');
  const carried = decodeCursor(token);
  const named = carried?.userId === userId ? (carried?.username ?? null) : null;
  return {
    list,
    input,
    wanted: numberAt(input, size) ?? 12,
    username: carried ? named : usernameOf(input),
    userId,
    carried,
    cursor: carried?.native ?? token,
  };
}

const MAX_PAGES = 5;

/** Reads pages of one channel until it has `wanted` items or the list ends. Gives the failure of the first page. */
function* collect(
  channel: ChannelName,
  { list, input, wanted, cursor, username, userId }: Walk,
  context: CallContext,
): SiteSteps<Collected | SiteOutcome> {
  const { most, by, request } = CHANNELS[channel];
  const who = (by === 'username' ? username : userId) ?? '';
  let collected: Collected = { list, channel, items: [], userId: null, hasNext: false, cursor };
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, cursor: from } = collected;
    const count = Math.min(most, wanted - items.length);
    const outcome = LISTS[list].read([yield request(who, { count, cursor: from }, context)], input);
    if (outcome.outcome !== 'ok') return page === 0 ? outcome : collected;
    const next = collectedOf(outcome.data, collected);
    collected = { ...next, items: [...items, ...next.items], userId: collected.userId ?? next.userId };
    const isStuck = next.cursor === null || next.cursor === from;
    if (!next.hasNext || isStuck || collected.items.length >= wanted) break;
  }
  return collected;
}

/** The items of the first channel that gives any and can continue from the token, or the failures of all. */
export function* collectFirst(
  channels: readonly ChannelName[],
  walk: Walk,
  context: CallContext,
): SiteSteps<Collected | SiteOutcome[]> {
  const usable = channels.filter((name) => walk[CHANNELS[name].by] !== null);
  const failures: SiteOutcome[] = [];
  for (const name of walk.carried ? speakersOf(usable, walk.carried.channel) : usable) {
    const result = yield* collect(name, walk, context);
    if (!('outcome' in result)) return result;
    failures.push(result);
    if (isFinal(result)) break;
  }
  return failures;
}

/** The response, with a token of the next page that holds the data which its channel needs. */
export function answerOf(
  { list, channel, items, hasNext, cursor }: Collected,
  { userId, username }: { userId: string | null; username: string | null },
): SiteOutcome {
  const lastId = filledAt(items, '-1.id');
  const token =
    cursor === null || userId === null
      ? cursor
      : encodeCursor({ channel, native: cursor, userId, username, lastId });
  return {
    outcome: 'ok',
    data: {
      user_id: userId,
      [list]: items,
      pagination: { has_next_page: hasNext, [LISTS[list].next]: token },
    },
  };
}

/** The outcome for a token that no source of this list can continue from. */
export function foreignToken(list: ListName): SiteOutcome {
  return { outcome: 'invalid_input', field: LISTS[list].token, evidence: 'is the token of another list' };
}
