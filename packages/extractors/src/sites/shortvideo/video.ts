// Page: /@anything/video/<id>.
// Data: __UNIVERSAL_DATA_FOR_REHYDRATION__ → webapp.video-detail or webapp.reflow.video.detail; SIGI_STATE → ItemModule;
// __NEXT_DATA__ → itemInfo. Seen: Oct 2020 to Jul 2026.
import { failed, ok, worst } from '../outcome.ts';
import {
  arrayAt,
  asCount,
  asFilled,
  asFlag,
  asId,
  asNumber,
  asText,
  at,
  first,
  isObject,
  objectAt,
  type JsonObject,
} from '../read/value.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { readRoots, readWall, scopeOf, statusOf, statusText } from './documents.ts';

interface Found {
  item: JsonObject;
  author: JsonObject | undefined;
}

export function extractVideo(responses: readonly SiteResponse[], input: SiteInput): SiteOutcome {
  const failures: SiteOutcome[] = [];
  for (const response of responses) {
    const roots = readRoots(response);
    for (const root of roots) {
      const found = findItem(root, input);
      if (found && isClassified(found.item)) {
        failures.push(failed('blocked', 'isContentClassified: sensitive content, login demanded'));
      } else if (found) return ok(videoOf(found));
      const refusal = readRefusal(root);
      if (refusal) failures.push(refusal);
    }
    if (failures.length === 0) failures.push(readWall(response, roots));
  }
  return worst(failures);
}

function detailsOf(root: JsonObject): JsonObject[] {
  return [
    ...Object.entries(scopeOf(root)).flatMap(([key, value]) =>
      /(?:video|photo|item).?detail/.test(key) && isObject(value) ? [value] : [],
    ),
    objectAt(root, 'props', 'pageProps') ?? {},
    objectAt(root, 'VideoPage') ?? {},
    root,
  ];
}

function isItem(item: JsonObject): boolean {
  return (
    asId(item['id']) !== null &&
    (isObject(item['video']) || isObject(item['imagePost']) || isObject(item['stats']))
  );
}

function findItem(root: JsonObject, input: SiteInput): Found | undefined {
  for (const detail of detailsOf(root)) {
    const item = objectAt(detail, 'itemInfo', 'itemStruct') ?? objectAt(detail, 'itemStruct');
    if (item && isItem(item)) return { item, author: objectAt(item, 'author') };
  }
  return (
    findStateItem(root, input) ??
    findOldItem(root) ??
    (isItem(root) ? { item: root, author: flatAuthor(root) } : undefined)
  );
}

/** SIGI_STATE: the author is a name, which is a key of UserModule. */
function findStateItem(root: JsonObject, input: SiteInput): Found | undefined {
  const items = objectAt(root, 'ItemModule');
  const isProfile = isObject(root['UserPage']) && !isObject(root['VideoPage']);
  if (!items || isProfile) return undefined;
  const asked = /(\d{15,20})/.exec(asFilled(input['url']) ?? '')?.[1];
  const key =
    asked ??
    asFilled(at(root, 'ItemList', 'video', 'keyword')) ??
    asFilled(at(root, 'ItemList', 'video', 'list', 0));
  const item = (key !== null && objectAt(items, key)) || Object.values(items).find(isObject);
  if (!item || !isItem(item)) return undefined;
  const name = asFilled(item['author']);
  const author = name === null ? objectAt(item, 'author') : objectAt(root, 'UserModule', 'users', name);
  return { item, author: author ?? flatAuthor(item) };
}

/** Legacy entries have the author's fields next to the item's. */
function flatAuthor(item: JsonObject): JsonObject | undefined {
  return typeof item['author'] === 'string'
    ? { id: item['authorId'], uniqueId: item['author'], nickname: item['nickname'] }
    : objectAt(item, 'author');
}

/** Early 2020, other names for the same fields. */
function findOldItem(root: JsonObject): Found | undefined {
  const data = objectAt(root, 'props', 'pageProps', 'videoData');
  const info = objectAt(data, 'itemInfos');
  if (!info || asId(info['id']) === null) return undefined;
  const author = objectAt(data, 'authorInfos');
  const music = objectAt(data, 'musicInfos');
  return {
    item: {
      id: info['id'],
      desc: info['text'],
      createTime: info['createTime'],
      stats: {
        playCount: info['playCount'],
        diggCount: info['diggCount'],
        commentCount: info['commentCount'],
        shareCount: info['shareCount'],
      },
      video: {
        duration: at(info, 'video', 'videoMeta', 'duration'),
        cover: at(info, 'covers', 0),
        playAddr: at(info, 'video', 'urls', 0),
      },
      music: { id: music?.['musicId'], title: music?.['musicName'], authorName: music?.['authorName'] },
    },
    author: {
      id: author?.['userId'],
      uniqueId: author?.['uniqueId'],
      nickname: author?.['nickName'],
      verified: author?.['verified'],
    },
  };
}

function isClassified(item: JsonObject): boolean {
  return item['isContentClassified'] === true && !isObject(item['video']) && !isObject(item['imagePost']);
}

function videoOf({ item, author }: Found): Record<string, unknown> {
  const count = (name: string): number | null =>
    first(asCount(at(item, 'statsV2', name)), asCount(at(item, 'stats', name)));
  const music = objectAt(item, 'music');
  return {
    id: asId(item['id']),
    description: first(asText(item['desc']), joinedContents(item)),
    create_time: asCount(item['createTime']),
    author: {
      id: first(asId(author?.['id']), asId(item['authorId'])),
      unique_id: first(asFilled(author?.['uniqueId']), asFilled(item['author'])),
      nickname: first(asText(author?.['nickname']), asText(item['nickname'])),
      verified: asFlag(author?.['verified']),
    },
    stats: {
      play_count: count('playCount'),
      like_count: count('diggCount'),
      comment_count: count('commentCount'),
      share_count: count('shareCount'),
    },
    video: {
      duration: first(asCount(at(item, 'video', 'duration')), isObject(item['imagePost']) ? 0 : null),
      cover: coverOf(item),
      play_url: playUrlOf(item['video']),
    },
    music: {
      id: asId(music?.['id']),
      title: asText(music?.['title']),
      author: asText(music?.['authorName']),
    },
  };
}

function joinedContents(item: JsonObject): string | null {
  const parts = arrayAt(item, 'contents').flatMap((part) => asText(at(part, 'desc')) ?? []);
  return parts.length === 0 ? null : parts.join('\n');
}

function coverOf(item: JsonObject): string | null {
  const { video, imagePost } = item;
  return first(
    asFilled(at(video, 'cover')),
    asFilled(at(video, 'originCover')),
    asFilled(at(video, 'dynamicCover')),
    asFilled(at(imagePost, 'cover', 'imageURL', 'urlList', 0)),
    asFilled(at(imagePost, 'images', 0, 'imageURL', 'urlList', 0)),
  );
}

/** Addresses on the site's own host do not play. */
function playable(value: unknown): string | null {
  const url = asFilled(value);
  return url !== null && /^https?:\/\/(?!www\.tiktok\.com\/)/.test(url) ? url : null;
}

function playUrlOf(video: unknown): string | null {
  const rates = arrayAt(video, 'bitrateInfo').toSorted((a, b) => areaOf(b) - areaOf(a));
  return first(
    playable(at(video, 'playAddr')),
    ...arrayAt(video, 'playAddr').map((source) => playable(at(source, 'src')) ?? playable(source)),
    ...rates.flatMap((rate) => arrayAt(rate, 'PlayAddr', 'UrlList').map(playable)),
    ...arrayAt(video, 'PlayAddrStruct', 'UrlList').map(playable),
    playable(at(video, 'downloadAddr')),
  );
}

function areaOf(rate: unknown): number {
  return (asNumber(at(rate, 'PlayAddr', 'Width')) ?? 0) * (asNumber(at(rate, 'PlayAddr', 'Height')) ?? 0);
}

const PRIVATE = new Set([10_215, 10_216, 10_222]);

/** The status of a detail without an item. */
function readRefusal(root: JsonObject): SiteOutcome | undefined {
  for (const detail of detailsOf(root)) {
    const status = statusOf(detail);
    if (status === null || status === 0) continue;
    const evidence = `statusCode ${status} ${statusText(detail)}`.trim();
    if (status === 10_204 || status === 10_202 || status === 10_221 || status === 404)
      return failed('not_found', evidence);
    if (PRIVATE.has(status)) return failed('private', evidence);
    if (status === 10_231) return failed('blocked', `${evidence}: not available in this region`);
    if (status === 10_000 || status === -1)
      return failed('blocked', `${evidence}: captcha or signature refused`);
  }
  return undefined;
}

/** The page's canonical address, which identifies photo posts. */
export function canonicalOf(response: SiteResponse): string | null {
  for (const root of readRoots(response)) {
    const canonical = asFilled(at(scopeOf(root), 'seo.abtest', 'canonical'));
    if (canonical !== null) return canonical;
  }
  return null;
}
