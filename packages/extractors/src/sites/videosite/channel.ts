import { failed } from '../outcome.ts';
import { arrayAt, asFilled, asText, at, first, isObject, type JsonObject } from '../read/value.ts';
import { findObject, objectUnder } from '../read/walk.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { channelOfToken, nextToken } from './continuation.ts';
import { readAlert, readDocuments } from './documents.ts';

export interface ChannelList {
  channelId: string | null;
  entries: unknown[];
  token: string | null;
}

export type ChannelReading = { list: ChannelList } | { failure: SiteOutcome };

function failure(outcome: Parameters<typeof failed>[0], evidence: string): ChannelReading {
  return {
    failure: failed(outcome, evidence),
  };
}

/** Finds the list of a channel tab in browse answers, continuation answers, pages and playlists. */
export function readChannel(
  responses: readonly SiteResponse[],
  input: SiteInput,
  tab: 'videos' | 'shorts',
): ChannelReading {
  const { data, walls, player } = readDocuments(responses);
  const readings = data.map((root) => readRoot(root, input, tab, responses));
  const found =
    readings.find((reading) => 'list' in reading && reading.list.entries.length > 0) ??
    readings.find((reading) => 'list' in reading) ??
    readings[0];
  if (found) return found;
  if (walls[0]) return { failure: walls[0] };
  return failure('unrecognised', player ? 'a player response instead of a channel' : 'no channel data');
}

function readRoot(
  root: JsonObject,
  input: SiteInput,
  tab: 'videos' | 'shorts',
  responses: readonly SiteResponse[],
): ChannelReading {
  const alert = readAlert(root);
  if (alert) return { failure: alert };
  const listed = continuationEntries(root) ?? tabEntries(root, tab) ?? fragment(root);
  if (!listed) {
    const isEnd =
      input['continuation'] !== undefined && isObject(root['responseContext']) && !root['contents'];
    if (isEnd) return { list: { channelId: channelId(root, input, responses), entries: [], token: null } };
    return failure(
      'unrecognised',
      `no list of ${tab} under the keys ${Object.keys(root).slice(0, 8).join(', ')}`,
    );
  }
  if (isReading(listed)) return listed;
  const token = nextToken(listed.entries, listed.container);
  return { list: { channelId: channelId(root, input, responses), entries: listed.entries, token } };
}

function isReading(listed: Listed | ChannelReading): listed is ChannelReading {
  return 'failure' in listed || 'list' in listed;
}

interface Listed {
  entries: unknown[];
  container?: unknown;
}

function continuationEntries(root: JsonObject): Listed | undefined {
  for (const action of [
    ...arrayAt(root, 'onResponseReceivedActions'),
    ...arrayAt(root, 'onResponseReceivedEndpoints'),
  ]) {
    for (const name of ['appendContinuationItemsAction', 'reloadContinuationItemsCommand']) {
      const entries = at(action, name, 'continuationItems');
      if (Array.isArray(entries) && !isHeader(at(action, name))) return { entries };
    }
  }
  const grid = at(root, 'continuationContents', 'gridContinuation');
  return isObject(grid) ? { entries: arrayAt(grid, 'items'), container: grid } : undefined;
}

/** A reload has the sort chips in a separate command. */
function isHeader(command: unknown): boolean {
  return /HEADER/.test(asText(at(command, 'slot')) ?? '');
}

function tabUrl(renderer: unknown): string {
  return (
    (asText(at(renderer, 'endpoint', 'commandMetadata', 'webCommandMetadata', 'url')) ?? '').split(
      '?',
      1,
    )[0] ?? ''
  );
}

function tabEntries(root: JsonObject, tab: 'videos' | 'shorts'): Listed | ChannelReading | undefined {
  const tabs = [
    ...arrayAt(root, 'contents', 'twoColumnBrowseResultsRenderer', 'tabs'),
    ...arrayAt(root, 'contents', 'singleColumnBrowseResultsRenderer', 'tabs'),
  ].flatMap((entry) => at(entry, 'tabRenderer') ?? at(entry, 'expandableTabRenderer') ?? []);
  if (tabs.length === 0) return undefined;
  const gate = objectUnder(tabs, 'channelAgeGateRenderer');
  if (gate) return failure('blocked', 'channelAgeGateRenderer: the channel is behind an age gate');
  const wanted =
    tabs.find((renderer) => tabUrl(renderer).endsWith(`/${tab}`) && isObject(at(renderer, 'content'))) ??
    tabs.find(
      (renderer) =>
        isObject(at(renderer, 'content')) &&
        tabUrl(renderer) === '' &&
        (asText(at(renderer, 'title')) ?? tab).toLowerCase() === tab,
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
  const sections = arrayAt(content, 'sectionListRenderer', 'contents');
  const isMessage = objectUnder(sections, 'messageRenderer', 'backgroundPromoRenderer') !== undefined;
  const isEmpty = Array.isArray(at(content, 'sectionListRenderer', 'contents')) && sections.length === 0;
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

function channelId(root: JsonObject, input: SiteInput, responses: readonly SiteResponse[]): string | null {
  const canonical = asText(at(root, 'microformat', 'microformatDataRenderer', 'urlCanonical')) ?? '';
  const inUrl = /\/channel\/(UC[0-9A-Za-z_-]{22})/;
  return first(
    asFilled(at(root, 'metadata', 'channelMetadataRenderer', 'externalId')),
    inUrl.exec(canonical)?.[1],
    asFilled(at(root, 'header', 'c4TabbedHeaderRenderer', 'channelId')),
    asFilled(input['channel_id']),
    channelOfToken(asFilled(input['continuation'])),
    ...responses.map((response) => inUrl.exec(response.finalUrl ?? response.url)?.[1]),
  );
}

/** The new address of a moved channel. */
export function movedTo(responses: readonly SiteResponse[]): string | null {
  for (const root of readDocuments(responses).data) {
    for (const action of arrayAt(root, 'onResponseReceivedActions')) {
      const id = asFilled(at(action, 'navigateAction', 'endpoint', 'browseEndpoint', 'browseId'));
      if (id?.startsWith('UC')) return id;
    }
  }
  return null;
}
