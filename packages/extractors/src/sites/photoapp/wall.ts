import { cutText } from '@gleaner/contracts/text';
import { doubtful, failed, isServerFault, serverFault } from '../outcome.ts';
import { titleOf, isMarkup } from '../read/html.ts';
import { isObject } from '@gleaner/contracts/values';
import { arrayAt, at, filledAt, textAt, objectsOf } from '../read/value.ts';
import type { SiteOutcome, SiteResponse } from '../types.ts';

const RATE_LIMITED_CODE = 1_675_004;

/** Classifies a response without the wanted data. */
export function readWall(response: SiteResponse, roots: readonly unknown[]): SiteOutcome {
  const { status, url, finalUrl } = response;
  const address = finalUrl ?? url;
  if (/\/accounts\/(?:login|suspended)|\/challenge\//.test(address)) {
    return failed('blocked', `login wall: ${address}`);
  }
  if (status === 429) return failed('rate_limited', 'status 429');
  const said = isMarkup(response.body) ? pageWall(response) : jsonWall(response, roots);
  const isWall = said?.outcome === 'blocked' || said?.outcome === 'rate_limited';
  if (isServerFault(status) && !isWall) return serverFault(status);
  if (said) return said;
  if (status === 404) {
    return /graphql|\/api\/(?!v1\/users)/.test(address)
      ? failed('unrecognised', 'status 404 of a call')
      : failed('not_found', 'status 404');
  }
  if (status === 401 || status === 403) return failed('blocked', `status ${status}`);
  return failed('unrecognised', `no user data, status ${status}, title “${titleOf(response.body)}”`);
}

function pageWall({ body, status }: SiteResponse): SiteOutcome | undefined {
  const title = titleOf(body);
  if (
    /restricted profile/i.test(title) ||
    /You must be \d+ years old|Restricted profile/.test(body.slice(0, 300_000))
  ) {
    return failed('blocked', 'age-restricted profile');
  }
  if (/please wait a few minutes/i.test(body.slice(0, 300_000))) {
    return failed('rate_limited', '“Please wait a few minutes”');
  }
  if (/^login\b|^log in\b/i.test(title)) return failed('blocked', `login page, title “${title}”`);
  if (/page not found|isn.t available/i.test(title)) return failed('not_found', `title “${title}”`);
  if (/httpErrorPage|PolarisErrorRoot/.test(body)) {
    return failed('not_found', `error page (httpErrorPage), status ${status}, title “${title}”`);
  }
  return undefined;
}

function jsonWall({ status }: SiteResponse, roots: readonly unknown[]): SiteOutcome | undefined {
  for (const root of roots) {
    const message = filledAt(root, 'message') ?? '';
    if (at(root, 'require_login') === true || /logged in|login_required/i.test(message)) {
      return failed('blocked', `login demanded: ${message}`);
    }
    if (/(?:feedback|checkpoint|challenge)_required/.test(message)) return failed('blocked', message);
    if (/wait a few minutes|rate limit/i.test(message)) return failed('rate_limited', message);
    for (const error of arrayAt(root, 'errors')) {
      if (at(error, 'code') === RATE_LIMITED_CODE)
        return failed('rate_limited', `error ${RATE_LIMITED_CODE}`);
    }
    // Guests also get null for age-restricted users; only absent users have a status.
    if (isNoUser(root)) {
      return status === 404
        ? failed('not_found', 'status 404: the user is null')
        : doubtful('not_found', 'the user is null');
    }
    if (/user not found/i.test(message)) return failed('not_found', message);
    const fault = textAt(root, 'error', 'errors.0.message');
    if (fault !== null) return failed('unrecognised', cutText(`the call was refused: ${fault}`, 200));
    if (message !== '') return failed('unrecognised', cutText(`status ${status}: ${message}`, 200));
  }
  return undefined;
}

const USER_KEYS = ['user', 'xig_user_by_username', 'fetch__XDTUserDict'];

/** `{"data": {"user": null}}` and similar responses. */
function isNoUser(root: unknown): boolean {
  const data = at(root, 'data') ?? at(root, 'graphql');
  if (!isObject(data)) return false;
  const hasNoObject = [...objectsOf(data)].length === 1;
  return USER_KEYS.some((key) => Object.hasOwn(data, key) && data[key] === null) && hasNoObject;
}
