import { failed } from '../outcome.ts';
import { asFilled, asText, at, arrayAt } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SiteRequest, SiteResponse } from '../types.ts';
import type { PageOf } from './calls.ts';
import { type ChannelName, decodeCursor, encodeCursor, type PlanCursor } from './cursor.ts';

export function usernameOf(input: SiteInput): string | null {
  return asFilled(input['username'])?.replace(/^@/, '') ?? null;
}

export function http(request: SiteRequest): { request: SiteRequest; mode: 'http' } {
  return {
    request,
    mode: 'http',
  };
}

export function isAbsent(outcome: SiteOutcome): boolean {
  return outcome.outcome === 'not_found' && /status 404/.test(outcome.evidence);
}

/** When the page shows the user, a call that doesn't find the user is not evidence. */
export function withoutDoubt(outcome: SiteOutcome): SiteOutcome {
  return outcome.outcome !== 'ok' && outcome.isDoubtful
    ? failed('unrecognised', `${outcome.evidence} to a call, but the page shows the profile`)
    : outcome;
}

export function isFinal(outcome: SiteOutcome): boolean {
  return outcome.outcome === 'private';
}

/** The result of a walk over pages. */
export interface Collected {
  items: unknown[];
  userId: string | null;
  hasNext: boolean;
  cursor: string | null;
}

export interface Channel {
  name: ChannelName;
  /** Items per page of this source. */
  most: number;
  request: (page: PageOf) => SiteRequest;
}

type Extract = (responses: readonly SiteResponse[], input: SiteInput) => SiteOutcome;

const MAX_PAGES = 5;

/** Reads pages of one source until it has `wanted` items or the list ends. Null with the reason when the first page fails. */
export function* collect({
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

/** A single response as the result of a walk. */
export function collectedOf(data: Record<string, unknown>, list: 'posts' | 'reels'): Collected {
  return {
    items: arrayAt(data, list),
    userId: asText(data['user_id']),
    hasNext: at(data, 'pagination', 'has_next_page') === true,
    cursor:
      asFilled(at(data, 'pagination', 'end_cursor')) ?? asFilled(at(data, 'pagination', 'continuation')),
  };
}

export interface Start {
  /** The content of the token; null on a first page and for a site's own cursor. */
  carried: PlanCursor | null;
  /** The site's own cursor. */
  cursor: string | null;
  username: string | null;
}

/** The start of a walk. The input's user id counts; the token's name is ignored when the token has another id. */
export function startOf(input: SiteInput, field: 'cursor' | 'continuation'): Start {
  const token = asFilled(input[field]);
  const carried = decodeCursor(token);
  if (!carried) return { carried, cursor: token, username: usernameOf(input) };
  const isSame = carried.userId === asFilled(input['user_id']);
  return { carried, cursor: carried.native, username: isSame ? carried.username : null };
}

/** The token of the next page, with the data that its channel needs if the user is known. */
export function nextToken(
  { cursor, items }: Collected,
  { channel, userId, username }: { channel: ChannelName; userId: string | null; username: string | null },
): string | null {
  return cursor === null || userId === null
    ? cursor
    : encodeCursor({ channel, native: cursor, userId, username, lastId: asFilled(at(items, -1, 'id')) });
}

/** The outcome for a token that no source of this list can continue from. */
export function foreignToken(field: 'cursor' | 'continuation'): SiteOutcome {
  return {
    outcome: 'invalid_input',
    field,
    evidence: 'is the token of another list',
  };
}

export function idOf(profile: SiteOutcome): string | null {
  return profile.outcome === 'ok' ? asFilled(at(profile.data, 'identity', 'id')) : null;
}

export function isOutcome(result: Collected | SiteOutcome): result is SiteOutcome {
  return 'outcome' in result;
}
