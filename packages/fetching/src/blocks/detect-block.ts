import { headerText, type HeaderMap } from '../http/exchange.ts';
import { findWall } from './find-wall.ts';
import { hasVisibleText, latin1Of } from './shown-text.ts';

const LOGIN_PATH =
  /(^|[/._-])(log-?in|sign-?in|signup|sign-?up|authwall|auth|sso|checkpoint|challenge|uas|account\/begin)([/._-]|$)/i;

function isLoginPath(url: URL): boolean {
  return LOGIN_PATH.test(url.pathname);
}

const PASSWORD_TYPE = /\btype\s*=\s*["']?password/;

/** A login form stands at the beginning of its page. */
const MAX_SEARCHED_BYTES = 1_048_576;
/** The length of an `<input>` tag that is read. */
const MAX_TAG = 600;

/** Whether the page begins with a password field. Each tag is read alone, so that the time is linear in the page. */
function hasPasswordField(body: Uint8Array): boolean {
  const text = latin1Of(body, MAX_SEARCHED_BYTES).toLowerCase();
  let at = text.indexOf('<input');
  while (at !== -1) {
    const next = text.indexOf('<', at + 1);
    const [tag = ''] = text.slice(at, Math.min(next === -1 ? text.length : next, at + MAX_TAG)).split('>', 1);
    if (PASSWORD_TYPE.test(tag)) return true;
    at = next === -1 ? -1 : text.indexOf('<input', next);
  }
  return false;
}

/** Whether a request for another page ended at a login form: a redirect to a login path with a password field. */
function isLoginWall(requested: string, final: string, body: Uint8Array): boolean {
  if (requested === final) return false;
  const from = new URL(requested);
  const to = new URL(final);
  if (from.pathname === to.pathname && from.host === to.host) return false;
  if (isLoginPath(from) || !isLoginPath(to)) return false;
  return hasPasswordField(body);
}

type BlockKind = 'status' | 'challenge' | 'empty_shell' | 'login_wall';

export interface Block {
  kind: BlockKind;
  /** The signs that identified the block, for the error's `detail`. */
  evidence: string;
}

export interface SeenPage {
  url: string;
  finalUrl: string;
  status: number;
  headers: HeaderMap;
  contentType: string;
  body: Uint8Array;
}

/** Statuses that refuse the client, not the resource. 999 is LinkedIn's. */
const BLOCKING_STATUSES = new Set([401, 403, 429, 999]);

const CHALLENGE_HEADERS: readonly (readonly [vendor: string, name: string, value: RegExp])[] = [
  ['Cloudflare', 'cf-mitigated', /challenge/],
  ['AWS WAF', 'x-amzn-waf-action', /challenge|captcha/],
  ['DataDome', 'x-datadome', /protected/],
];

function findChallenge(page: SeenPage): string | undefined {
  for (const [vendor, name, value] of CHALLENGE_HEADERS) {
    if (
      page.headers[name] !== undefined &&
      value.test(headerText(page.headers, name)) &&
      isChallengeStatus(page, vendor)
    ) {
      return `a challenge of ${vendor} (header ${name})`;
    }
  }
  const found = findWall(page);
  return found === undefined ? undefined : `a challenge page of ${found}`;
}

/** DataDome sends its header with normal pages too, so there the status decides. */
function isChallengeStatus(page: SeenPage, vendor: string): boolean {
  return vendor !== 'DataDome' || page.status >= 400;
}

/** A page without visible text that sets a cookie by script and reloads: a bot check, not a page. */
function isEmptyShell(page: SeenPage): boolean {
  if (page.status >= 400 || page.body.length > 8_192 || !/html/i.test(page.contentType)) return false;
  const text = latin1Of(page.body);
  if (!text.includes('document.cookie')) return false;
  return !hasVisibleText(text) && /location\s*\.\s*(reload|replace|href)|location\s*=/.test(text);
}

/** Detects responses that hold no data: bot challenges, refusals and login walls. */
export function detectBlock(page: SeenPage): Block | undefined {
  const challenge = findChallenge(page);
  if (challenge !== undefined) {
    return { kind: 'challenge', evidence: `${challenge}, status ${page.status}` };
  }
  if (BLOCKING_STATUSES.has(page.status)) return { kind: 'status', evidence: `status ${page.status}` };
  if (isLoginWall(page.url, page.finalUrl, page.body)) {
    return {
      kind: 'login_wall',
      evidence: `redirected to a login page (${new URL(page.finalUrl).pathname.slice(0, 100)})`,
    };
  }
  if (isEmptyShell(page)) return { kind: 'empty_shell', evidence: 'an empty page that only runs a check' };
  return undefined;
}
