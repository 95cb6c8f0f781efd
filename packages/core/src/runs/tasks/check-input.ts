import {
  describeIssue,
  findUnstorable,
  PREBUILT_APIS,
  UNSTORABLE,
  urlFault,
  type ApiId,
  toStorableJson,
} from '@gleaner/contracts';
import { checkSiteInput } from '@gleaner/extractors/sites';
import type { Config } from '../../platform/config/load-config.ts';
import type { TaskTarget } from './task-spec.ts';

/** A longer text is no URL, whatever of it counts; so nothing more is done with a page's text of megabytes. */
export const LONGEST_URL_TEXT = 65_536;

/** An input as a task stores it, on one line; or why it is invalid. */
export type CheckedInput = { line: string } | { fault: string };

export function checkUrl(text: string): CheckedInput {
  if (text.length > LONGEST_URL_TEXT) return { fault: urlFault(text) ?? 'is too long' };
  // A URL parser drops these characters (https://url.spec.whatwg.org/#concept-basic-url-parser). A task's input is one line.
  const line = /[\t\n\r]|^[\0-\x20]|[\0-\x20]$/.test(text) ? text.replaceAll(/[\t\n\r]/g, '').trim() : text;
  if (line === '') return { fault: 'is empty' };
  if (findUnstorable(line) !== undefined) return { fault: UNSTORABLE };
  const fault = urlFault(line);
  return fault === null ? { line } : { fault };
}

/** An input of a parser: a URL, or an object with only `url`. */
export function checkUrlInput(input: unknown): CheckedInput {
  if (typeof input === 'string') return checkUrl(input);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { fault: 'must be a URL' };
  const { url, ...others } = input as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    return { fault: `${unknown} is not a known field; carry keeps values beside url` };
  return typeof url === 'string' ? checkUrl(url) : { fault: 'url is missing' };
}

/** An input of a prebuilt API: an object of its parameters. */
export function checkParameters(sites: Config['sites'], id: ApiId, input: unknown): CheckedInput {
  const parsed = PREBUILT_APIS[id].input.safeParse(input);
  if (!parsed.success) {
    const [fault] = parsed.error.issues.map((issue) => describeIssue(issue, input));
    return { fault: `${fault?.field ?? ''} ${fault?.detail ?? 'is wrong'}`.trim() };
  }
  const unstorable = findUnstorable(parsed.data);
  if (unstorable !== undefined) return { fault: `${unstorable} ${UNSTORABLE}` };
  const fault = checkSiteInput(id, parsed.data, sites);
  if (fault) return { fault: `${fault.field ?? ''} ${fault.detail ?? ''}`.trim() };
  return { line: toStorableJson(parsed.data) };
}

/**
 * The `url` of a result and the `_url` of a row: the URL of the input; for an API whose input has none, the call that gives
 * the same (`/v1/videosite-channel-videos?channel_id=…`). Inputs that differ have addresses that differ.
 * @param line the input as its task keeps it: a URL, or JSON of an API's parameters
 */
export function inputAddress(target: TaskTarget, line: string): string {
  if (target.type !== 'api') return line;
  const input = JSON.parse(line) as Record<string, unknown>;
  if (typeof input['url'] === 'string') return input['url'];
  const query = new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)]));
  return `/v1/${target.id}?${query.toString()}`;
}
