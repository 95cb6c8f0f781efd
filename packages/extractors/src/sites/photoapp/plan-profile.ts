import { isDoubtful, worst } from '../outcome.ts';
import { at } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SitePlan, SitesConfig } from '../types.ts';
import { embedPage, profilePage, readSession, webProfileInfo } from './calls.ts';
import { usernameOf } from './collect.ts';
import { extractProfile } from './profile.ts';

/** Meta elements don't contain the account's type; the call does. */
function isComplete(outcome: SiteOutcome): boolean {
  return (
    outcome.outcome === 'ok' &&
    at(outcome.data, 'account_type.is_verified') !== null &&
    at(outcome.data, 'identity.id') !== null &&
    at(outcome.data, 'metrics.posts') !== null
  );
}

/** The logged-out page lacks the business fields, the large picture and the counts of posts; the call has them. */
function knowsBusiness(outcome: SiteOutcome): boolean {
  return outcome.outcome === 'ok' && at(outcome.data, 'account_type.is_business_account') !== null;
}

export function* planProfile(input: SiteInput, config: SitesConfig): SitePlan {
  const username = usernameOf(input) ?? '';
  const page = yield profilePage(username, config);
  const ofPage = extractProfile([page], input);
  if (isComplete(ofPage) && knowsBusiness(ofPage)) return ofPage;
  const info = yield webProfileInfo(username, { config, session: readSession(page, config) });
  const ofCall = extractProfile([info], input);
  const isAbsent = ofCall.outcome === 'not_found' && (!isDoubtful(ofCall) || ofPage.outcome === 'not_found');
  if (ofPage.outcome !== 'ok' && isAbsent) return worst([ofPage, ofCall]);
  const ofBoth = extractProfile([page, info], input);
  if (isComplete(ofBoth)) return ofBoth;
  const ofAll = extractProfile([page, info, yield embedPage(username, config)], input);
  return ofAll.outcome === 'ok' ? ofAll : worst([ofPage, ofCall, ofAll]);
}
