import { failed } from '../outcome.ts';
import { asFilled, asText, at, arrayAt } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SiteRequest, SiteResponse } from '../types.ts';
import type { PageOf } from './calls.ts';

export const usernameOf = (input: SiteInput): string | null =>
  asFilled(input['username'])?.replace(/^@/, '') ?? null;

export const http = (request: SiteRequest): { request: SiteRequest; mode: 'http' } => ({
  request,
  mode: 'http',
});

export const isAbsent = (outcome: SiteOutcome): boolean =>
  outcome.outcome === 'not_found' && /status 404/.test(outcome.evidence);

/** For a user whom the page shows, a call that knows none says nothing about the user. */
export const withoutDoubt = (outcome: SiteOutcome): SiteOutcome =>
  outcome.outcome !== 'ok' && outcome.isDoubtful
    ? failed('unrecognised', `${outcome.evidence} to a call, but the page shows the profile`)
    : outcome;

export const isFinal = (outcome: SiteOutcome): boolean => outcome.outcome === 'private';

/** What a walk over pages collects. */
export interface Collected {
  items: unknown[];
  userId: string | null;
  hasNext: boolean;
  cursor: string | null;
}

export interface Channel {
  /** How many this way in gives at once. */
  most: number;
  request: (page: PageOf) => SiteRequest;
}

type Extract = (responses: readonly SiteResponse[], input: SiteInput) => SiteOutcome;

const MAX_PAGES = 5;

/** Pages through one way in until `wanted` items are there or the list ends. Null with the reason when its first page fails. */
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

export const isOutcome = (result: Collected | SiteOutcome): result is SiteOutcome => 'outcome' in result;
