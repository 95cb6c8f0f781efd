// Page: /results?search_query=…, or the JSON answers of youtubei/v1/search.
// Data: twoColumnSearchResultsRenderer → sectionListRenderer → itemSectionRenderer; later pages in onResponseReceivedCommands.
// Seen: Dec 2020 to Jul 2026. Shelves (shorts, “people also watched”) are not results of the search and are left out.
import { failed, ok } from '../outcome.ts';
import { arrayAt, asFilled, asText, at, first, isObject, type JsonObject } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { nextToken, pageOf } from './continuation.ts';
import { readAlert, readDocuments } from './documents.ts';
import { readLockup, readVideoRenderer } from './items.ts';
import { largestImage, textOf } from './text.ts';

export function extractSearch(responses: readonly SiteResponse[], input: SiteInput): SiteOutcome {
  const { data, walls } = readDocuments(responses);
  const readings = data.map((root) => readRoot(root, input));
  const found = readings.find((reading) => reading.outcome === 'ok') ?? readings[0] ?? walls[0];
  return found ?? failed('unrecognised', 'no search data');
}

function readRoot(root: JsonObject, input: SiteInput): SiteOutcome {
  const alert = readAlert(root);
  if (alert) return alert;
  const sections = sectionsOf(root);
  if (!sections) {
    const isEnd = isObject(root['responseContext']) && !root['contents'] && input['query'] === undefined;
    if (isEnd) return ok({ results: [], pagination: pageOf(null) });
    return failed('unrecognised', `no results under the keys ${Object.keys(root).slice(0, 8).join(', ')}`);
  }
  const entries = sections.flatMap((section) => {
    const contents =
      at(section, 'itemSectionRenderer', 'contents') ?? at(section, 'richItemRenderer', 'content');
    if (Array.isArray(contents)) return contents;
    return isObject(contents) ? [contents] : [section];
  });
  const results = entries.flatMap((entry) => readResult(entry) ?? []);
  const token = nextToken(sections) ?? nextToken(entries, at(sections, 0, 'itemSectionRenderer'));
  const isStrange = results.length === 0 && entries.length > 0 && !entries.some(isKnown);
  if (isStrange) {
    const kinds = [...new Set(entries.flatMap((entry) => Object.keys(Object(entry))))].slice(0, 5).join(', ');
    return failed('unrecognised', `results of unknown kind: ${kinds}`);
  }
  return ok({ results, pagination: pageOf(token) });
}

function sectionsOf(root: JsonObject): unknown[] | undefined {
  const contents = at(root, 'contents');
  for (const path of [
    ['twoColumnSearchResultsRenderer', 'primaryContents', 'sectionListRenderer', 'contents'],
    ['twoColumnSearchResultsRenderer', 'primaryContents', 'richGridRenderer', 'contents'],
    ['sectionListRenderer', 'contents'],
  ]) {
    const sections = at(contents, ...path);
    if (Array.isArray(sections)) return sections;
  }
  for (const command of [
    ...arrayAt(root, 'onResponseReceivedCommands'),
    ...arrayAt(root, 'onResponseReceivedActions'),
  ]) {
    const items =
      at(command, 'appendContinuationItemsAction', 'continuationItems') ??
      at(command, 'reloadContinuationItemsCommand', 'continuationItems');
    if (Array.isArray(items)) return items;
  }
  return undefined;
}

/** Containers of the page that are not results: shelves, corrections, panels, advertisements, ends. */
function isKnown(entry: unknown): boolean {
  return Object.keys(Object(entry)).some((key) =>
    /^(?:continuationItem|message|backgroundPromo|shelf|reelShelf|gridShelf|adSlot|searchPyv|promoted|didYouMean|showingResultsFor|includingResultsFor|clarification|infoPanel|emergencyOnebox|chipCloud|horizontalCardList|universalWatchCard|secondarySearchContainer)/.test(
      key,
    ),
  );
}

interface Result {
  type: string;
  id: string;
  title: string | null;
  thumbnail: string | null;
  channel: string | null;
  view_count: number | null;
  published_at: string | null;
  duration: string | null;
}

function readResult(entry: unknown): Result | undefined {
  const video = at(entry, 'videoRenderer') ?? at(entry, 'compactVideoRenderer');
  if (isObject(video)) return readVideoResult(video, 'video');
  const lockup = at(entry, 'lockupViewModel');
  if (isObject(lockup)) return readLockupResult(lockup);
  const channel = at(entry, 'channelRenderer');
  if (isObject(channel)) return readChannelResult(channel);
  const playlist = at(entry, 'playlistRenderer') ?? at(entry, 'compactPlaylistRenderer');
  if (isObject(playlist)) return readPlaylistResult(playlist, 'playlist');
  const radio = at(entry, 'radioRenderer') ?? at(entry, 'compactRadioRenderer');
  if (isObject(radio)) return readPlaylistResult(radio, 'mix');
  const movie = at(entry, 'movieRenderer');
  if (isObject(movie)) return readVideoResult(movie, 'movie');
  const show = at(entry, 'showRenderer');
  return isObject(show) ? readPlaylistResult(show, 'show') : undefined;
}

function readVideoResult(renderer: JsonObject, type: string): Result | undefined {
  const item = readVideoRenderer(renderer);
  return item && { type, ...item };
}

const LOCKUP_TYPES: Readonly<Record<string, string>> = {
  LOCKUP_CONTENT_TYPE_VIDEO: 'video',
  LOCKUP_CONTENT_TYPE_PLAYLIST: 'playlist',
  LOCKUP_CONTENT_TYPE_PODCAST: 'podcast',
  LOCKUP_CONTENT_TYPE_ALBUM: 'album',
  LOCKUP_CONTENT_TYPE_CHANNEL: 'channel',
  LOCKUP_CONTENT_TYPE_MOVIE: 'movie',
  LOCKUP_CONTENT_TYPE_SHORT: 'video',
};

function readLockupResult(lockup: JsonObject): Result | undefined {
  const item = readLockup(lockup);
  if (!item) return undefined;
  const named = LOCKUP_TYPES[asText(lockup['contentType']) ?? ''];
  const type = named === 'playlist' && item.id.startsWith('RD') ? 'mix' : named;
  if (type === 'video') return { type, ...item };
  const plain = { ...item, view_count: null, published_at: null, duration: null };
  return {
    type: type ?? 'playlist',
    ...plain,
    channel: type === 'channel' ? item.title : (item.channel ?? firstPart(lockup)),
  };
}

function firstPart(lockup: JsonObject): string | null {
  const rows = arrayAt(
    lockup,
    'metadata',
    'lockupMetadataViewModel',
    'metadata',
    'contentMetadataViewModel',
    'metadataRows',
  );
  return textOf(at(rows, 0, 'metadataParts', 0, 'text'));
}

function readChannelResult(renderer: JsonObject): Result | undefined {
  const id = asFilled(renderer['channelId']);
  const title = textOf(renderer['title']);
  if (id === null) return undefined;
  return {
    type: 'channel',
    id,
    title,
    thumbnail: largestImage(arrayAt(renderer, 'thumbnail', 'thumbnails')),
    channel: title,
    view_count: null,
    published_at: null,
    duration: null,
  };
}

function readPlaylistResult(renderer: JsonObject, type: string): Result | undefined {
  const id = first(
    asFilled(renderer['playlistId']),
    asFilled(at(renderer, 'navigationEndpoint', 'watchEndpoint', 'playlistId')),
    asFilled(at(renderer, 'navigationEndpoint', 'browseEndpoint', 'browseId')),
  );
  if (id === null) return undefined;
  return {
    type,
    id,
    title: textOf(renderer['title']),
    thumbnail: first(
      largestImage(arrayAt(renderer, 'thumbnails', 0, 'thumbnails')),
      largestImage(arrayAt(renderer, 'thumbnail', 'thumbnails')),
      largestImage(
        arrayAt(renderer, 'thumbnailRenderer', 'showCustomThumbnailRenderer', 'thumbnail', 'thumbnails'),
      ),
    ),
    channel: first(textOf(renderer['longBylineText']), textOf(renderer['shortBylineText'])),
    view_count: null,
    published_at: null,
    duration: null,
  };
}
