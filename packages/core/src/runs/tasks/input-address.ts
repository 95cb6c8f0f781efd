import type { TaskTarget } from './task-spec.ts';

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
