import { isObject } from '@gleaner/contracts/values';
import { isMarkup, scriptsWith } from '../read/html.ts';
import { assignedJson, jsonFrom, parseJson, stringEnd } from '../read/json.ts';
import type { SiteResponse } from '../types.ts';

/** Keys that mark a data script worth parsing: a page has hundreds of scripts. */
const KEYS =
  /xig_user_by_username|polaris_ordered_timeline_connection|xdt_api__v1|xig_polaris_media|edge_owner_to_timeline_media|"follower_count"|fetch__XDTUserDict/;

/** Every JSON value of a response that can hold a user or posts. */
export function readRoots({ body }: SiteResponse): unknown[] {
  if (!isMarkup(body)) {
    const root = parseJson(body);
    return root === undefined ? [] : [root];
  }
  const roots: unknown[] = [];
  if (KEYS.test(body)) {
    for (const text of scriptsWith(body, 'type', 'application/json'))
      if (KEYS.test(text)) roots.push(parseJson(text));
  }
  roots.push(additionalData(body));
  if (body.includes('_sharedData')) roots.push(assignedJson(body, 'window._sharedData'));
  roots.push(embedContext(body));
  return roots.filter((root) => root !== undefined);
}

/** `window.__additionalDataLoaded('/name/', {…});` */
function additionalData(body: string): unknown {
  let from = 0;
  for (let tries = 0; tries < 5; tries += 1) {
    const call = body.indexOf('__additionalDataLoaded(', from);
    if (call === -1) return undefined;
    from = call + 1;
    const start = body.indexOf('{', call);
    if (start === -1 || start - call > 300) continue;
    const value = jsonFrom(body, start);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** `"contextJSON":"{\"context\":…}"`: JSON inside a JSON string. */
function embedContext(body: string): unknown {
  const key = body.indexOf('"contextJSON":"');
  if (key === -1) return undefined;
  const start = key + '"contextJSON":'.length;
  const end = stringEnd(body, start, '"');
  if (end === -1) return undefined;
  const text = parseJson(body.slice(start, end + 1));
  const value = typeof text === 'string' ? parseJson(text) : undefined;
  return isObject(value) ? value : undefined;
}
