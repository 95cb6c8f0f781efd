// Page: /results?search_query=…, or the JSON answers of youtubei/v1/search.
// Data: twoColumnSearchResultsRenderer → sectionListRenderer → itemSectionRenderer; later pages in onResponseReceivedCommands.
// Seen: Dec 2020 to Jul 2026. Shelves (shorts, “people also watched”) are not results of the search and are left out.
import type { SiteResponses, SiteInput, SiteOutcome } from '../types.ts';
import { failed, ok } from '../outcome.ts';
import { isObject } from '@gleaner/contracts/values';
import { arrayAt, at, filledAt, textAt, type JsonObject } from '../read/value.ts';
import { nextToken, pageOf } from './continuation.ts';
import { readAlert, readDocuments } from './documents.ts';
import { keysOf } from './channel-tabs.ts';
import { readLockup, readVideoRenderer, type VideoItem } from './items.ts';
import { imageAt, shownAt } from './text.ts';

export function extractSearch(responses: SiteResponses, input: SiteInput): SiteOutcome {
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
    const contents = at(section, 'itemSectionRenderer.contents') ?? at(section, 'richItemRenderer.content');
    if (Array.isArray(contents)) return contents;
    return isObject(contents) ? [contents] : [section];
  });
  const results = entries.flatMap((entry) => readResult(entry) ?? []);
  const token = nextToken(sections) ?? nextToken(entries, at(sections, '0.itemSectionRenderer'));
  const isStrange = results.length === 0 && entries.length > 0 && !entries.some(isKnown);
  if (isStrange) {
    return failed('unrecognised', `results of unknown kind: ${keysOf(entries)}`);
  }
  return ok({ results, pagination: pageOf(token) });
}

const SECTIONS = [
  'contents.twoColumnSearchResultsRenderer.primaryContents.sectionListRenderer.contents',
  'contents.twoColumnSearchResultsRenderer.primaryContents.richGridRenderer.contents',
  'contents.sectionListRenderer.contents',
];

function sectionsOf(root: JsonObject): unknown[] | undefined {
  const commands = ['onResponseReceivedCommands', 'onResponseReceivedActions'];
  return [
    ...SECTIONS.map((path) => at(root, path)),
    ...commands
      .flatMap((name) => arrayAt(root, name))
      .flatMap((command) => [
        at(command, 'appendContinuationItemsAction.continuationItems'),
        at(command, 'reloadContinuationItemsCommand.continuationItems'),
      ]),
  ].find(Array.isArray);
}

/** Containers of the page that are not results: shelves, corrections, panels, advertisements, ends. */
function isKnown(entry: unknown): boolean {
  return Object.keys(Object(entry)).some((key) =>
    /^(?:continuationItem|message|backgroundPromo|shelf|reelShelf|gridShelf|adSlot|searchPyv|promoted|didYouMean|showingResultsFor|includingResultsFor|clarification|infoPanel|emergencyOnebox|chipCloud|horizontalCardList|universalWatchCard|secondarySearchContainer)/.test(
      key,
    ),
  );
}

type Result = VideoItem & { type: string };

/** The renderers of results, with their type and reader. */
const RENDERERS: readonly [
  names: readonly string[],
  type: string,
  read: (renderer: JsonObject) => VideoItem | undefined,
][] = [
  [['videoRenderer', 'compactVideoRenderer'], 'video', readVideoRenderer],
  [['channelRenderer'], 'channel', readChannel],
  [['playlistRenderer', 'compactPlaylistRenderer'], 'playlist', readPlaylist],
  [['radioRenderer', 'compactRadioRenderer'], 'mix', readPlaylist],
  [['movieRenderer'], 'movie', readVideoRenderer],
  [['showRenderer'], 'show', readPlaylist],
];

function readResult(entry: unknown): Result | undefined {
  const lockup = at(entry, 'lockupViewModel');
  if (isObject(lockup)) return readLockupResult(lockup);
  for (const [names, type, read] of RENDERERS) {
    const renderer = names.map((name) => at(entry, name)).find(isObject);
    const item = renderer && read(renderer);
    if (renderer) return item && { type, ...item };
  }
  return undefined;
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
  const named = LOCKUP_TYPES[textAt(lockup, 'contentType') ?? ''];
  const type = named === 'playlist' && item.id.startsWith('RD') ? 'mix' : named;
  if (type === 'video') return { type, ...item };
  return {
    type: type ?? 'playlist',
    ...item,
    ...NO_VIDEO,
    channel: type === 'channel' ? item.title : (item.channel ?? shownAt(lockup, FIRST_PART)),
  };
}

const FIRST_PART =
  'metadata.lockupMetadataViewModel.metadata.contentMetadataViewModel.metadataRows.0.metadataParts.0.text';

/** Fields that only videos have. */
const NO_VIDEO = { view_count: null, published_at: null, duration: null };

function readChannel(renderer: JsonObject): VideoItem | undefined {
  const id = filledAt(renderer, 'channelId');
  const title = shownAt(renderer, 'title');
  const thumbnail = imageAt(renderer, 'thumbnail.thumbnails');
  return id === null ? undefined : { id, title, thumbnail, channel: title, ...NO_VIDEO };
}

function readPlaylist(renderer: JsonObject): VideoItem | undefined {
  const id = filledAt(
    renderer,
    'playlistId',
    'navigationEndpoint.watchEndpoint.playlistId',
    'navigationEndpoint.browseEndpoint.browseId',
  );
  if (id === null) return undefined;
  return {
    id,
    title: shownAt(renderer, 'title'),
    thumbnail: imageAt(
      renderer,
      'thumbnails.0.thumbnails',
      'thumbnail.thumbnails',
      'thumbnailRenderer.showCustomThumbnailRenderer.thumbnail.thumbnails',
    ),
    channel: shownAt(renderer, 'longBylineText', 'shortBylineText'),
    ...NO_VIDEO,
  };
}
