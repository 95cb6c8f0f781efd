import { isObject } from '@gleaner/contracts/values';
import { arrayAt, at, countAt, filledAt, flagAt, type JsonObject, objectsOf } from '../read/value.ts';
import { type Media, readMedia, unwrapMedia } from './media.ts';

export interface MediaList {
  kind: 'timeline' | 'clips';
  items: Media[];
  hasNext: boolean;
  cursor: string | null;
  /** The site's count of all items; null when it gives none. */
  count: number | null;
  /** The data contained the list, even if empty. */
  isStated: boolean;
}

const TIMELINES = [
  'xdt_api__v1__feed__user_timeline_graphql_connection',
  'edge_owner_to_timeline_media',
  'polaris_ordered_timeline_connection',
];

const CLIPS = ['xdt_api__v1__clips__user__connection_v2', 'clips_connection'];

/** The lists of posts and reels in a response, the richest kinds first. */
export function findLists(roots: readonly unknown[]): MediaList[] {
  const lists: MediaList[] = [];
  for (const root of roots) {
    const single = singleMedia(root);
    if (single) {
      lists.push(single);
      continue;
    }
    for (const node of objectsOf(root)) {
      for (const key of CLIPS) if (isObject(node[key])) lists.push(connectionOf(node[key], 'clips'));
      for (const key of TIMELINES) if (isObject(node[key])) lists.push(connectionOf(node[key], 'timeline'));
      const rest = restList(node);
      if (rest) lists.push(rest);
      const old = node['media'];
      if (isObject(old) && Array.isArray(old['nodes'])) lists.push(connectionOf(old, 'timeline', 'nodes'));
      if (Array.isArray(node['graphql_media'])) lists.push(listOf('timeline', node['graphql_media']));
    }
    if (lists.length === 0) lists.push(...bareLists(root));
  }
  return lists;
}

function mediaIn(entries: readonly unknown[]): Media[] {
  return entries.flatMap((entry) => {
    const node = unwrapMedia(entry);
    return node ? [readMedia(node)] : [];
  });
}

function listOf(
  kind: MediaList['kind'],
  entries: readonly unknown[],
  facts: Partial<Omit<MediaList, 'kind' | 'items'>> = {},
): MediaList {
  return {
    kind,
    items: mediaIn(entries),
    hasNext: false,
    cursor: null,
    count: null,
    isStated: true,
    ...facts,
  };
}

/** @param key where it has its items: `nodes` in the layout before 2018 */
function connectionOf(connection: JsonObject, kind: MediaList['kind'], key = 'edges'): MediaList {
  return listOf(kind, arrayAt(connection, key), {
    hasNext: flagAt(connection, 'page_info.has_next_page') ?? false,
    cursor: filledAt(connection, 'page_info.end_cursor'),
    count: countAt(connection, 'count'),
    isStated: Array.isArray(connection[key]),
  });
}

/** The app's own responses: `items` with `more_available`, or `items[].media` with `paging_info`. */
function restList(node: JsonObject): MediaList | undefined {
  const items = node['items'];
  if (!Array.isArray(items)) return undefined;
  const paging = node['paging_info'];
  if (isObject(paging)) {
    const hasNext = flagAt(paging, 'more_available') ?? false;
    return listOf('clips', items, { hasNext, cursor: filledAt(paging, 'max_id') });
  }
  if (!('more_available' in node || 'num_results' in node)) return undefined;
  const hasNext = flagAt(node, 'more_available') ?? false;
  return listOf('timeline', items, { hasNext, cursor: filledAt(node, 'next_max_id') });
}

/** A recording of a single post. */
function singleMedia(root: unknown): MediaList | undefined {
  for (const candidate of [root, at(root, 'data'), at(root, 'graphql')]) {
    const node = unwrapMedia(candidate);
    if (node) return listOf('timeline', [node]);
  }
  return undefined;
}

/** Nodes recorded without their connection: a list, or a list under one key. */
function bareLists(root: unknown): MediaList[] {
  if (Array.isArray(root)) return [listOf('timeline', root)].filter((list) => list.items.length > 0);
  if (!isObject(root)) return [];
  for (const [key, value] of Object.entries(root)) {
    if (!Array.isArray(value)) continue;
    const list = listOf(/reel|clip/i.test(key) ? 'clips' : 'timeline', value);
    if (list.items.length > 0) return [list];
  }
  return [];
}

/** The owner of more than half of the items, because collaborations have other owners. */
export function ownerOf(items: readonly Media[]): string | null {
  const counts = new Map<string, number>();
  for (const { ownerId } of items) {
    if (ownerId !== null) counts.set(ownerId, (counts.get(ownerId) ?? 0) + 1);
  }
  for (const [owner, count] of counts) if (count * 2 > items.length) return owner;
  return null;
}
