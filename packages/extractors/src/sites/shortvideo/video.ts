// Page: /@anything/video/<id>.
// Data: __UNIVERSAL_DATA_FOR_REHYDRATION__ → webapp.video-detail or webapp.reflow.video.detail; SIGI_STATE → ItemModule;
// __NEXT_DATA__ → itemInfo. Seen: Oct 2020 to Jul 2026.
import {
  type JsonObject,
  arrayAt,
  asFilled,
  at,
  countAt,
  filledAt,
  first,
  flagAt,
  idAt,
  numberAt,
  objectAt,
  textAt,
} from '../read/value.ts';
import type { SiteResponses, SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { failed, firstReadable, ok } from '../outcome.ts';
import { isObject } from '@gleaner/contracts/values';
import { readResponse, readRoots, refusalOf, scopeOf } from './documents.ts';

interface Found {
  item: JsonObject;
  author: JsonObject | undefined;
}

export function extractVideo(responses: SiteResponses, input: SiteInput): SiteOutcome {
  return firstReadable(responses, (response) =>
    readResponse(response, (root) => {
      const found = findItem(root, input);
      if (!found)
        return detailsOf(root)
          .map(refusalOf)
          .find((refusal) => refusal !== undefined);
      const { isContentClassified, video, imagePost } = found.item;
      return isContentClassified === true && !isObject(video) && !isObject(imagePost)
        ? failed('blocked', 'isContentClassified: sensitive content, login demanded')
        : ok(videoOf(found));
    }),
  );
}

function detailsOf(root: JsonObject): JsonObject[] {
  return [
    ...Object.entries(scopeOf(root)).flatMap(([key, value]) =>
      /(?:video|photo|item).?detail/.test(key) && isObject(value) ? [value] : [],
    ),
    objectAt(root, 'props.pageProps') ?? {},
    objectAt(root, 'VideoPage') ?? {},
    root,
  ];
}

function isItem(item: JsonObject): boolean {
  return (
    idAt(item, 'id') !== null &&
    (isObject(item['video']) || isObject(item['imagePost']) || isObject(item['stats']))
  );
}

function findItem(root: JsonObject, input: SiteInput): Found | undefined {
  for (const detail of detailsOf(root)) {
    const item = objectAt(detail, 'itemInfo.itemStruct') ?? objectAt(detail, 'itemStruct');
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
  const asked = /(\d{15,20})/.exec(filledAt(input, 'url') ?? '')?.[1];
  const key = asked ?? filledAt(root, 'ItemList.video.keyword', 'ItemList.video.list.0');
  const item = [key === null ? undefined : items[key], ...Object.values(items)].find(isObject);
  if (!item || !isItem(item)) return undefined;
  const name = filledAt(item, 'author');
  const author = name === null ? objectAt(item, 'author') : objectAt(root, 'UserModule.users')?.[name];
  return { item, author: isObject(author) ? author : flatAuthor(item) };
}

/** Legacy entries have the author's fields next to the item's. */
function flatAuthor(item: JsonObject): JsonObject | undefined {
  return typeof item['author'] === 'string'
    ? { id: item['authorId'], uniqueId: item['author'], nickname: item['nickname'] }
    : objectAt(item, 'author');
}

/** Early 2020, other names for the same fields. */
function findOldItem(root: JsonObject): Found | undefined {
  const data = objectAt(root, 'props.pageProps.videoData');
  const info = objectAt(data, 'itemInfos');
  if (!info || idAt(info, 'id') === null) return undefined;
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
        duration: at(info, 'video.videoMeta.duration'),
        cover: at(info, 'covers.0'),
        playAddr: at(info, 'video.urls.0'),
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

function videoOf({ item, author }: Found): JsonObject {
  const count = (name: string): number | null => countAt(item, `statsV2.${name}`, `stats.${name}`);
  const music = objectAt(item, 'music');
  return {
    id: idAt(item, 'id'),
    description: first(textAt(item, 'desc'), joinedContents(item)),
    create_time: countAt(item, 'createTime'),
    author: {
      id: first(idAt(author, 'id'), idAt(item, 'authorId')),
      unique_id: first(filledAt(author, 'uniqueId'), filledAt(item, 'author')),
      nickname: first(textAt(author, 'nickname'), textAt(item, 'nickname')),
      verified: flagAt(author, 'verified'),
    },
    stats: {
      play_count: count('playCount'),
      like_count: count('diggCount'),
      comment_count: count('commentCount'),
      share_count: count('shareCount'),
    },
    video: {
      duration: first(countAt(item, 'video.duration'), isObject(item['imagePost']) ? 0 : null),
      cover: coverOf(item),
      play_url: playUrlOf(item['video']),
    },
    music: {
      id: idAt(music, 'id'),
      title: textAt(music, 'title'),
      author: textAt(music, 'authorName'),
    },
  };
}

function joinedContents(item: JsonObject): string | null {
  const parts = arrayAt(item, 'contents').flatMap((part) => textAt(part, 'desc') ?? []);
  return parts.length === 0 ? null : parts.join('\n');
}

function coverOf(item: JsonObject): string | null {
  const { video, imagePost } = item;
  return first(
    filledAt(video, 'cover', 'originCover', 'dynamicCover'),
    filledAt(imagePost, 'cover.imageURL.urlList.0', 'images.0.imageURL.urlList.0'),
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
    ...rates.flatMap((rate) => arrayAt(rate, 'PlayAddr.UrlList').map(playable)),
    ...arrayAt(video, 'PlayAddrStruct.UrlList').map(playable),
    playable(at(video, 'downloadAddr')),
  );
}

function areaOf(rate: unknown): number {
  return (numberAt(rate, 'PlayAddr.Width') ?? 0) * (numberAt(rate, 'PlayAddr.Height') ?? 0);
}

/** The page's canonical address, which identifies photo posts. */
export function canonicalOf(response: SiteResponse): string | null {
  for (const root of readRoots(response)) {
    const canonical = asFilled(at(scopeOf(root), 'seo.abtest.canonical'));
    if (canonical !== null) return canonical;
  }
  return null;
}
