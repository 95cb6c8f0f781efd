import type { SiteResponses, SiteFailure, SiteOutcome, SiteResponse } from './types.ts';
import type { ErrorCode } from '@gleaner/contracts';

/** The error that a client gets for each outcome without data. None is charged. */
export const OUTCOME_ERRORS = {
  invalid_input: 'invalid_request',
  not_found: 'target_not_found',
  private: 'target_not_found',
  blocked: 'target_blocked',
  rate_limited: 'target_blocked',
  unrecognised: 'site_changed',
} as const satisfies Record<SiteFailure, ErrorCode>;

export function ok(data: Record<string, unknown>): SiteOutcome {
  return { outcome: 'ok', data };
}

export function failed(outcome: SiteFailure, evidence: string): SiteOutcome {
  return { outcome, evidence };
}

/** A fault of the site's servers. It says nothing about the target or our visit; a later request may succeed. */
export function isServerFault(status: number): boolean {
  return status >= 500 && status <= 599;
}

export function serverFault(status: number): SiteOutcome {
  return failed('unrecognised', `status ${status}`);
}

/** The first reading with data; without one the most specific failure of all responses. */
export function firstReadable(
  responses: SiteResponses,
  read: (response: SiteResponse) => SiteOutcome,
): SiteOutcome {
  const outcomes: SiteOutcome[] = [];
  for (const response of responses) {
    const outcome = read(response);
    if (outcome.outcome === 'ok') return outcome;
    outcomes.push(outcome);
  }
  return worst(outcomes);
}

/** From an unknown page over doubtful failures and walls to facts about the target. */
const SPECIFIC = 'unrecognised doubtful blocked rate_limited not_found private invalid_input'.split(' ');

/** The most specific of several failures. */
export function worst(outcomes: readonly SiteOutcome[]): SiteOutcome {
  const weightOf = (one: SiteOutcome): number => SPECIFIC.indexOf(isDoubtful(one) ? 'doubtful' : one.outcome);
  const failures = outcomes.filter(({ outcome }) => outcome !== 'ok');
  return (
    failures.toSorted((a, b) => weightOf(b) - weightOf(a))[0] ?? failed('unrecognised', 'nothing was fetched')
  );
}

/** A failure that may have another cause. */
export function doubtful(outcome: SiteFailure, evidence: string): SiteOutcome {
  return { outcome, evidence, isDoubtful: true };
}

export function isDoubtful(outcome: SiteOutcome): boolean {
  return outcome.outcome !== 'ok' && outcome.isDoubtful === true;
}
