import { isDoubtful, worst } from '../outcome.ts';
import { at } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SitePlan, SiteResponse, SitesConfig } from '../types.ts';
import { anonymousSession, embedPage, profilePage, readSession, webProfileInfo } from './calls.ts';
import { http, usernameOf } from './collect.ts';
import { extractProfile } from './profile.ts';

/** Meta elements don't contain the account's type; the call does. */
function isComplete(outcome: SiteOutcome): boolean {
  return (
    outcome.outcome === 'ok' &&
    at(outcome.data, 'account_type', 'is_verified') !== null &&
    at(outcome.data, 'identity', 'id') !== null &&
    at(outcome.data, 'metrics', 'posts') !== null
  );
}

/** The logged-out page lacks the business fields, the large picture and the counts of posts; the call has them. */
function knowsBusiness(outcome: SiteOutcome): boolean {
  return outcome.outcome === 'ok' && at(outcome.data, 'account_type', 'is_business_account') !== null;
}

export function* planProfile(input: SiteInput, config: SitesConfig): SitePlan {
  const username = usernameOf(input) ?? '';
  const responses: SiteResponse[] = [yield http(profilePage(username, config))];
  const ofPage = extractProfile(responses, input);
  if (isComplete(ofPage) && knowsBusiness(ofPage)) return ofPage;
  const session = responses[0] ? readSession(responses[0], config) : anonymousSession(config);
  const info = yield http(webProfileInfo(username, config, session));
  const ofCall = extractProfile([info], input);
  const isAbsent = ofCall.outcome === 'not_found' && (!isDoubtful(ofCall) || ofPage.outcome === 'not_found');
  if (ofPage.outcome !== 'ok' && isAbsent) return worst([ofPage, ofCall]);
  responses.push(info);
  const ofBoth = extractProfile(responses, input);
  if (isComplete(ofBoth)) return ofBoth;
  responses.push(yield http(embedPage(username, config)));
  const ofAll = extractProfile(responses, input);
  return ofAll.outcome === 'ok' ? ofAll : worst([ofPage, ofCall, ofAll]);
}
