// Page: /channel/UC…/videos or /shorts, or the JSON answers of youtubei/v1/browse for it.
// Data: ytInitialData → the tab whose address ends in the tab's name → richGridRenderer or gridRenderer; or the automatic
// playlist UULF… or UUSH…. Seen: gridVideoRenderer to Aug 2022, videoRenderer to Feb 2026, lockupViewModel from May 2026;
// shorts: reelItemRenderer Oct 2022 to Sep 2024, shortsLockupViewModel from Nov 2024.
import type { SiteResponses, SiteInput, SiteOutcome, SiteReader } from '../types.ts';
import { PREBUILT_APIS } from '@gleaner/contracts';
import { failed, ok } from '../outcome.ts';
import {
  pick,
  textAt,
  arrayAt,
  at,
  filledAt,
  first,
  type JsonObject,
  findObject,
  objectUnder,
} from '../read/value.ts';
import { pageOf, channelOfToken, nextToken } from './continuation.ts';
import {
  lockupOf,
  readLockup,
  readShort,
  readVideoRenderer,
  videoRendererOf,
  type VideoItem,
} from './items.ts';
import { isObject } from '@gleaner/contracts/values';
import { readAlert, readDocuments } from './documents.ts';

const VIDEO = PREBUILT_APIS['videosite-channel-videos'].output.shape.videos.element.shape;
const SHORT = PREBUILT_APIS['videosite-channel-shorts'].output.shape.shorts.element.shape;

function readVideo(entry: unknown): VideoItem | undefined {
  const lockup = lockupOf(entry);
  if (lockup) {
    const kind = textAt(lockup, 'contentType') ?? 'LOCKUP_CONTENT_TYPE_VIDEO';
    return kind === 'LOCKUP_CONTENT_TYPE_VIDEO' ? readLockup(lockup) : undefined;
  }
  const renderer = videoRendererOf(entry);
  return renderer && readVideoRenderer(renderer);
}

const READERS: Record<ChannelTab, (entry: unknown) => Record<string, unknown> | undefined> = {
  videos: (entry) => {
    const video = readVideo(entry);
    return video && pick(VIDEO, video);
  },
  shorts: (entry) => {
    const short = readShort(entry);
    return short && pick(SHORT, short);
  },
};

function extractTab(tab: ChannelTab, responses: SiteResponses, input: SiteInput): SiteOutcome {
  const reading = readChannel(responses, input, tab);
  if ('outcome' in reading) return reading;
  const { channelId, entries, token } = reading;
  const items = entries.flatMap((entry) => READERS[tab](entry) ?? []);
  if (items.length === 0 && entries.some(isUnknownItem)) {
    return failed('unrecognised', `list entries of unknown kind: ${keysOf(entries)}`);
  }
  return ok({ channel_id: channelId, [tab]: items, pagination: pageOf(token) });
}

export const extractChannelVideos: SiteReader = (responses, input) => extractTab('videos', responses, input);
export const extractChannelShorts: SiteReader = (responses, input) => extractTab('shorts', responses, input);

/** Names of the first kinds of entries, as evidence. */
export function keysOf(entries: readonly unknown[]): string {
  return [...new Set(entries.flatMap((entry) => Object.keys(Object(entry))))].slice(0, 5).join(', ');
}

/** Entries that are neither tokens, messages nor shelves should have been read. */
function isUnknownItem(entry: unknown): boolean {
  return !Object.keys(Object(entry)).some((key) =>
    /^(?:continuationItem|message|richSection|adSlot|backgroundPromo|feedFilterChipBar|chipCloud)/.test(key),
  );
}

type ChannelTab = 'videos' | 'shorts';

interface ChannelList {
  channelId: string | null;
  entries: unknown[];
  token: string | null;
}

/** Finds the list of a channel tab in browse answers, continuation answers, pages and playlists. */
function readChannel(responses: SiteResponses, input: SiteInput, tab: ChannelTab): ChannelList | SiteOutcome {
  const { data, walls, player } = readDocuments(responses);
  const readings = data.map((root) => readRoot(root, input, tab, responses));
  return (
    readings.find((reading) => 'entries' in reading && reading.entries.length > 0) ??
    readings.find((reading) => 'entries' in reading) ??
    readings[0] ??
    walls[0] ??
    failed('unrecognised', player ? 'a player response instead of a channel' : 'no channel data')
  );
}

function readRoot(
  root: JsonObject,
  input: SiteInput,
  tab: ChannelTab,
  responses: SiteResponses,
): ChannelList | SiteOutcome {
  const alert = readAlert(root);
  if (alert) return alert;
  const found = continuationEntries(root) ?? tabEntries(root, tab) ?? fragment(root);
  // The response to a token after the last entry has no list.
  const isEnd = input['continuation'] !== undefined && isObject(root['responseContext']) && !root['contents'];
  const listed = found ?? (isEnd ? { entries: [] } : undefined);
  if (!listed)
    return failed(
      'unrecognised',
      `no list of ${tab} under the keys ${Object.keys(root).slice(0, 8).join(', ')}`,
    );
  if ('outcome' in listed) return listed;
  const { entries, container } = listed;
  return { channelId: channelId(root, input, responses), entries, token: nextToken(entries, container) };
}

interface Listed {
  entries: unknown[];
  container?: unknown;
}

function continuationEntries(root: JsonObject): Listed | undefined {
  const actions = ['onResponseReceivedActions', 'onResponseReceivedEndpoints'];
  for (const action of actions.flatMap((name) => arrayAt(root, name))) {
    for (const name of ['appendContinuationItemsAction', 'reloadContinuationItemsCommand']) {
      const entries = at(action, `${name}.continuationItems`);
      // A reload has the sort chips in a separate command.
      const isHeader = /HEADER/.test(textAt(action, `${name}.slot`) ?? '');
      if (Array.isArray(entries) && !isHeader) return { entries };
    }
  }
  const grid = at(root, 'continuationContents.gridContinuation');
  return isObject(grid) ? { entries: arrayAt(grid, 'items'), container: grid } : undefined;
}

function tabUrl(renderer: unknown): string {
  return (textAt(renderer, 'endpoint.commandMetadata.webCommandMetadata.url') ?? '').split('?', 1)[0] ?? '';
}

function tabEntries(root: JsonObject, tab: ChannelTab): Listed | SiteOutcome | undefined {
  const tabs = [
    ...arrayAt(root, 'contents.twoColumnBrowseResultsRenderer.tabs'),
    ...arrayAt(root, 'contents.singleColumnBrowseResultsRenderer.tabs'),
  ].flatMap((entry) => at(entry, 'tabRenderer') ?? at(entry, 'expandableTabRenderer') ?? []);
  if (tabs.length === 0) return undefined;
  const gate = objectUnder(tabs, 'channelAgeGateRenderer');
  if (gate) return failed('blocked', 'channelAgeGateRenderer: the channel is behind an age gate');
  const wanted =
    tabs.find((renderer) => tabUrl(renderer).endsWith(`/${tab}`) && isObject(at(renderer, 'content'))) ??
    tabs.find(
      (renderer) =>
        isObject(at(renderer, 'content')) &&
        tabUrl(renderer) === '' &&
        (textAt(renderer, 'title') ?? tab).toLowerCase() === tab,
    );
  if (!wanted) {
    // For a channel without the tab, the site silently serves another one. A tab that exists but was not served is a fault.
    const isListed = tabs.some((renderer) => tabUrl(renderer).endsWith(`/${tab}`));
    const isReadable = tabs.some((renderer) => tabUrl(renderer) !== '');
    return isListed || !isReadable ? undefined : { entries: [] };
  }
  return contentEntries(at(wanted, 'content'));
}

function contentEntries(content: unknown): Listed | undefined {
  const grid = at(content, 'richGridRenderer');
  if (isObject(grid)) return { entries: arrayAt(grid, 'contents'), container: grid };
  const found = findObject(
    content,
    (node) => isObject(node['gridRenderer']) || isObject(node['playlistVideoListRenderer']),
  );
  const list = found?.['gridRenderer'] ?? found?.['playlistVideoListRenderer'];
  if (isObject(list)) {
    const entries = Array.isArray(list['items']) ? arrayAt(list, 'items') : arrayAt(list, 'contents');
    return { entries, container: list };
  }
  const sections = arrayAt(content, 'sectionListRenderer.contents');
  const isMessage = objectUnder(sections, 'messageRenderer', 'backgroundPromoRenderer') !== undefined;
  const isEmpty = Array.isArray(at(content, 'sectionListRenderer.contents')) && sections.length === 0;
  return isMessage || isEmpty ? { entries: [] } : undefined;
}

/** A recording of a single list entry. */
function fragment(root: JsonObject): Listed | undefined {
  if (typeof root['contentId'] === 'string') return { entries: [{ lockupViewModel: root }] };
  if (isObject(root['overlayMetadata'])) return { entries: [{ shortsLockupViewModel: root }] };
  if (typeof root['videoId'] === 'string' && (root['thumbnail'] || root['title'])) {
    return { entries: [{ videoRenderer: root }] };
  }
  const isEntry = Object.keys(root).some((key) =>
    /^(?:richItem|video|gridVideo|playlistVideo|reelItem)Renderer$|^(?:shortsL|l)ockupViewModel$/.test(key),
  );
  return isEntry ? { entries: [root] } : undefined;
}

function channelId(root: JsonObject, input: SiteInput, responses: SiteResponses): string | null {
  const canonical = textAt(root, 'microformat.microformatDataRenderer.urlCanonical') ?? '';
  const inUrl = /\/channel\/(UC[0-9A-Za-z_-]{22})/;
  return first(
    filledAt(root, 'metadata.channelMetadataRenderer.externalId'),
    inUrl.exec(canonical)?.[1],
    filledAt(root, 'header.c4TabbedHeaderRenderer.channelId'),
    filledAt(input, 'channel_id'),
    channelOfToken(filledAt(input, 'continuation')),
    ...responses.map((response) => inUrl.exec(response.finalUrl ?? response.url)?.[1]),
  );
}

/** The new address of a moved channel. */
export function movedTo(responses: SiteResponses): string | null {
  for (const root of readDocuments(responses).data) {
    for (const action of arrayAt(root, 'onResponseReceivedActions')) {
      const id = filledAt(action, 'navigateAction.endpoint.browseEndpoint.browseId');
      if (id?.startsWith('UC')) return id;
    }
  }
  return null;
}
