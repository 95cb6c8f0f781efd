import type { ErrorCode } from '@gleaner/contracts';
import type { SiteFailure, SiteOutcome } from './types.ts';

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

/** A fault of the site's servers says nothing about the target or our visit: the same request may pass a moment later. */
export function isServerFault(status: number): boolean {
  return status >= 500 && status <= 599;
}

export function serverFault(status: number): SiteOutcome {
  return failed('unrecognised', `status ${status}`);
}

const WEIGHT: Record<SiteFailure, number> = {
  invalid_input: 7,
  not_found: 5,
  private: 6,
  rate_limited: 4,
  blocked: 3,
  unrecognised: 1,
};

/** Below every wall, above a page that says nothing. */
const DOUBTFUL_WEIGHT = 2;

type Failure = Exclude<SiteOutcome, { outcome: 'ok' }>;

function weightOf({ outcome, isDoubtful }: Failure): number {
  return isDoubtful ? DOUBTFUL_WEIGHT : WEIGHT[outcome];
}

/** The most telling of several failures: a fact about the target before a fact about our visit, doubts after both. */
export function worst(outcomes: readonly SiteOutcome[]): SiteOutcome {
  const failures = outcomes.filter((outcome) => outcome.outcome !== 'ok');
  return (
    failures.toSorted((a, b) => weightOf(b) - weightOf(a))[0] ?? failed('unrecognised', 'nothing was fetched')
  );
}

/** A failure that another fact may have caused as well. */
export function doubtful(outcome: SiteFailure, evidence: string): SiteOutcome {
  return {
    outcome,
    evidence,
    isDoubtful: true,
  };
}

export function isDoubtful(outcome: SiteOutcome): boolean {
  return outcome.outcome !== 'ok' && outcome.isDoubtful === true;
}
