import type {
  SiteResponses,
  InputFault,
  SiteInput,
  SiteOutcome,
  SitePlan,
  SiteRequest,
  SitesConfig,
  SiteStep,
  Site,
} from './types.ts';
import { type ApiId, AppError } from '@gleaner/contracts';
import { failed, OUTCOME_ERRORS } from './outcome.ts';
import { PHOTOAPP } from './photoapp/plan.ts';
import { PRONET } from './pronet/plan.ts';
import { REALTY } from './realty/plan.ts';
import { SHORTVIDEO } from './shortvideo/plan.ts';
import { VIDEOSITE } from './videosite/plan.ts';

export { OUTCOME_ERRORS } from './outcome.ts';
export type * from './types.ts';

/** Every prebuilt API, with its reader of responses and its plan of requests. */
export const sites: Record<ApiId, Site> = { ...PHOTOAPP, ...VIDEOSITE, ...SHORTVIDEO, ...REALTY, ...PRONET };

/** The limit on requests of one answer. It is more than any plan needs and ends a plan that loops. */
export const MAX_STEPS = 14;

/** Turns a fault of a reader into an outcome, so that no content makes a site's code throw. */
function outcomeOf<T>(read: () => T): T | SiteOutcome {
  try {
    return read();
  } catch (error) {
    return failed('unrecognised', `the reader of the page failed: ${String(error)}`);
  }
}

/** Reads the recorded or fetched responses of one answer. Returns an outcome for any content. */
export function extractSite(id: ApiId, input: SiteInput, responses: SiteResponses): SiteOutcome {
  return outcomeOf(() => sites[id].extract(responses, input));
}

/** Faults of the input that its schema can't check, such as an address of another site. */
export function checkSiteInput(id: ApiId, input: SiteInput, config: SitesConfig): InputFault | undefined {
  return sites[id].check?.(input, config);
}

/**
 * The next request of an answer, or its outcome, from the responses so far in the order of their requests. Pure: the same
 * arguments give the same step. Throws `invalid_request` when an address of the input is not the site's.
 */
export function nextStep(
  id: ApiId,
  input: SiteInput,
  config: SitesConfig,
  responses: SiteResponses,
): SiteStep {
  const fault = checkSiteInput(id, input, config);
  if (fault) throw new AppError('invalid_request', fault);
  const next = outcomeOf(() => replay(sites[id].plan(input, config), responses));
  if ('outcome' in next) return { kind: 'done', outcome: next };
  return { kind: 'fetch', request: next, mode: next.waitFor === undefined ? 'http' : 'browser' };
}

function replay(plan: SitePlan, responses: SiteResponses): SiteRequest | SiteOutcome {
  let step = plan.next();
  for (const response of responses) {
    if (step.done) break;
    step = plan.next(response);
  }
  const isEndless = !step.done && responses.length >= MAX_STEPS;
  return isEndless ? failed('unrecognised', `no answer after ${MAX_STEPS} requests`) : step.value;
}

/** The error of an outcome without data, ready to be thrown or stored; undefined for data. */
export function siteError(outcome: SiteOutcome): AppError | undefined {
  if (outcome.outcome === 'ok') return undefined;
  const { outcome: kind, evidence, field } = outcome;
  return new AppError(OUTCOME_ERRORS[kind], {
    detail: `${kind.replace('_', ' ')}: ${evidence}`,
    ...(field === undefined ? {} : { field }),
    ...(kind === 'rate_limited' ? { retryable: true } : {}),
  });
}
