import { failed, isServerFault, serverFault, worst } from '../outcome.ts';
import { titleOf, scriptById } from '../read/html.ts';
import { assignedJson, isJson, parseJson } from '../read/json.ts';
import { isObject } from '@gleaner/contracts/values';
import { numberAt, objectAt, textAt, type JsonObject } from '../read/value.ts';
import type { SiteFailure, SiteOutcome, SiteResponse } from '../types.ts';

/** The data scripts of a page, newest layout first. */
const SCRIPTS = ['__UNIVERSAL_DATA_FOR_REHYDRATION__', 'SIGI_STATE', 'sigi-persisted-data', '__NEXT_DATA__'];

/** Every data object of a response. A page can have two while the site migrates. */
export function readRoots({ body }: SiteResponse): JsonObject[] {
  if (isJson(body)) {
    const root = parseJson(body);
    return (Array.isArray(root) ? root : [root]).filter(isObject);
  }
  return SCRIPTS.flatMap((id) => {
    const value =
      scriptById(body, id) ?? (id === 'SIGI_STATE' ? assignedJson(body, `window['${id}']`) : undefined);
    return isObject(value) ? [value] : [];
  });
}

export function scopeOf(root: JsonObject): JsonObject {
  return objectAt(root, '__DEFAULT_SCOPE__') ?? root;
}

export function statusOf(detail: unknown): number | null {
  return numberAt(detail, 'statusCode', 'status_code');
}

/** The status of private accounts and their videos. */
export const PRIVATE_ACCOUNT = 10_222;

/** What the site's own statuses of users and videos mean. */
const REFUSALS: readonly (readonly [statuses: number[], outcome: SiteFailure, meaning?: string])[] = [
  [[404, 10_202, 10_204, 10_221, 10_223], 'not_found'],
  [[10_215, 10_216, PRIVATE_ACCOUNT], 'private'],
  [[10_231], 'blocked', 'not available in this region'],
  [[10_000, -1], 'blocked', 'captcha or signature refused'],
];

/** Classifies the status of a detail without a user or video; undefined for other statuses. */
export function refusalOf(detail: unknown): SiteOutcome | undefined {
  const status = statusOf(detail);
  const [, outcome, meaning] = REFUSALS.find(([statuses]) => statuses.includes(status ?? 0)) ?? [];
  if (outcome === undefined) return undefined;
  const evidence = `statusCode ${status} ${textAt(detail, 'statusMsg', 'statusMessage') ?? ''}`.trim();
  return failed(outcome, meaning === undefined ? evidence : `${evidence}: ${meaning}`);
}

/** Reads the data of a response: the first root with data, else its refusals, else the kind of its page. */
export function readResponse(
  response: SiteResponse,
  read: (root: JsonObject) => SiteOutcome | undefined,
): SiteOutcome {
  const roots = readRoots(response);
  const outcomes = roots.flatMap((root) => read(root) ?? []);
  const found = outcomes.find(({ outcome }) => outcome === 'ok');
  return found ?? (outcomes.length === 0 ? readWall(response, roots) : worst(outcomes));
}

/** Classifies pages without the data: challenge, captcha, login, empty shells. */
function readWall(response: SiteResponse, roots: readonly JsonObject[]): SiteOutcome {
  const { body, status } = response;
  const address = response.finalUrl ?? response.url;
  const title = titleOf(body);
  if (/\/login(?:[/?]|$)/.test(address)) return failed('blocked', `redirected to the login page: ${address}`);
  if (status === 429) return failed('rate_limited', 'status 429');
  if (/_wafchallengeid|SlardarWAF|id="wci"/.test(body.slice(0, 20_000))) {
    return failed('blocked', 'challenge page of the edge (SlardarWAF, “Please wait...”)');
  }
  if (/^security check$/i.test(title) || /captcha/i.test(title))
    return failed('blocked', `captcha page, title “${title}”`);
  if (/verify to continue|captcha-verify/i.test(body.slice(0, 20_000)))
    return failed('blocked', 'captcha page');
  if (status === 403) return failed('blocked', 'status 403');
  if (status === 404) return failed('not_found', 'status 404');
  if (isServerFault(status)) return serverFault(status);
  if (/^\s*$/.test(body)) return failed('blocked', `empty answer with status ${status}`);
  if (roots.length === 0 && /^tiktok(?: - make your day)?$/i.test(title)) {
    return failed('blocked', `empty shell: title “${title}” and no data script`);
  }
  const keys = roots.flatMap((root) => Object.keys(scopeOf(root)));
  const isContextOnly =
    keys.length > 0 && keys.every((key) => /context|i18n|abtest|a-b|translation/i.test(key));
  if (isContextOnly) return failed('blocked', `shell with context only: ${keys.slice(0, 6).join(', ')}`);
  return failed(
    'unrecognised',
    keys.length > 0 ? `no detail under the keys ${keys.slice(0, 8).join(', ')}` : `no data, title “${title}”`,
  );
}
