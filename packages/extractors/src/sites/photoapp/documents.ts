import { assignedJson, balancedFrom, parseJson } from '../read/json.ts';
import { hasAttribute, scriptsOf } from '../read/scripts.ts';
import { isObject } from '@gleaner/contracts/values';

import type { SiteResponse } from '../types.ts';

/** Keys that mark a data script worth parsing: a page has hundreds of scripts. */
const KEYS =
  /xig_user_by_username|polaris_ordered_timeline_connection|xdt_api__v1|xig_polaris_media|edge_owner_to_timeline_media|"follower_count"|fetch__XDTUserDict/;

export function isMarkup(body: string): boolean {
  return body.trimStart()[0] === '<';
}

/** Every JSON value of a response that can hold a user or posts. */
export function readRoots({ body }: SiteResponse): unknown[] {
  if (!isMarkup(body)) {
    const root = parseJson(body);
    return root === undefined ? [] : [root];
  }
  const roots: unknown[] = [];
  if (KEYS.test(body)) {
    for (const script of scriptsOf(body)) {
      if (hasAttribute(script, 'type', 'application/json') && KEYS.test(script.text))
        roots.push(parseJson(script.text));
    }
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
    const cut = balancedFrom(body, start);
    const value = cut === undefined ? undefined : parseJson(cut);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** `"contextJSON":"{\"context\":…}"`: JSON inside a JSON string. */
function embedContext(body: string): unknown {
  const key = body.indexOf('"contextJSON":"');
  if (key === -1) return undefined;
  const start = key + '"contextJSON":'.length;
  let end = start;
  for (;;) {
    end = body.indexOf('"', end + 1);
    if (end === -1) return undefined;
    let slashes = 0;
    while (body.charCodeAt(end - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) break;
  }
  const text = parseJson(body.slice(start, end + 1));
  const value = typeof text === 'string' ? parseJson(text) : undefined;
  return isObject(value) ? value : undefined;
}
