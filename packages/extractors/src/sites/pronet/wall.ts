import { failed, isServerFault, serverFault } from '../outcome.ts';
import { metaOf, titleOf } from '../read/html.ts';
import type { SiteOutcome, SiteResponse } from '../types.ts';
import { ldTypes } from './ld.ts';

const LOGIN = /\/(?:authwall|uas\/login|login|signup\/|checkpoint\/)/;

const SMALL_PAGE = 10_000;

/** Classifies a response without a post. */
export function readWall({ body, status, url, finalUrl }: SiteResponse): SiteOutcome {
  const address = finalUrl ?? url;
  const title = titleOf(body);
  if (status === 999) return failed('blocked', 'status 999: the site treats our IP address as a bot');
  if (LOGIN.test(address)) return failed('blocked', `login wall: ${address}`);
  if (status === 429) return failed('rate_limited', 'status 429');
  if (status === 404 || status === 410) return failed('not_found', `status ${status}`);
  if (status === 401 || status === 403) return failed('blocked', `status ${status}`);
  const about = metaOf(body).get('og:description') ?? '';
  if (/^(?:sign up|join|log ?in|sign in|linkedin login)\b/i.test(title) || /million\+ members/i.test(about)) {
    return failed('blocked', `login wall, title “${title}”`);
  }
  if (/security verification|challenge/i.test(title)) return failed('blocked', `challenge, title “${title}”`);
  if (isServerFault(status)) return serverFault(status);
  if (/(?:post|page|article) (?:not found|was deleted|cannot be displayed)|page doesn.t exist/i.test(title)) {
    return failed('not_found', `title “${title}”`);
  }
  const types = ldTypes(body);
  if (body.length < SMALL_PAGE && types.length === 0) {
    return failed('blocked', `small page of ${body.length} characters without a post, title “${title}”`);
  }
  if (
    types.length > 0 &&
    types.every((type) => /^(?:Organization|WebSite|WebPage|BreadcrumbList)$/.test(type))
  ) {
    return failed('blocked', `page without its post (JSON-LD ${types.join(', ')}): throttled`);
  }
  return failed('unrecognised', `no post on the page, title “${title}”`);
}
