import { failed } from '../outcome.ts';
import { isObject } from '@gleaner/contracts/values';
import { arrayAt, at, filledAt, first, textAt, type JsonObject } from '../read/value.ts';
import { findObject, objectUnder } from '../read/walk.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { channelOfToken, nextToken } from './continuation.ts';
import { readAlert, readDocuments } from './documents.ts';

export type ChannelTab = 'videos' | 'shorts';

export interface ChannelList {
  channelId: string | null;
  entries: unknown[];
  token: string | null;
}

/** Finds the list of a channel tab in browse answers, continuation answers, pages and playlists. */
export function readChannel(
  responses: readonly SiteResponse[],
  input: SiteInput,
  tab: ChannelTab,
): ChannelList | SiteOutcome {
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
  responses: readonly SiteResponse[],
): ChannelList | SiteOutcome {
  const alert = readAlert(root);
  if (alert) return alert;
  const listed = continuationEntries(root) ?? tabEntries(root, tab) ?? fragment(root) ?? end(root, input);
  if (!listed)
    return failed(
      'unrecognised',
      `no list of ${tab} under the keys ${Object.keys(root).slice(0, 8).join(', ')}`,
    );
  if ('outcome' in listed) return listed;
  const { entries, container } = listed;
  return { channelId: channelId(root, input, responses), entries, token: nextToken(entries, container) };
}

/** The response to a token after the last entry has no list. */
function end(root: JsonObject, input: SiteInput): Listed | undefined {
  const isEnd = input['continuation'] !== undefined && isObject(root['responseContext']) && !root['contents'];
  return isEnd ? { entries: [] } : undefined;
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
      if (Array.isArray(entries) && !isHeader(at(action, name))) return { entries };
    }
  }
  const grid = at(root, 'continuationContents.gridContinuation');
  return isObject(grid) ? { entries: arrayAt(grid, 'items'), container: grid } : undefined;
}

/** A reload has the sort chips in a separate command. */
function isHeader(command: unknown): boolean {
  return /HEADER/.test(textAt(command, 'slot') ?? '');
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

function channelId(root: JsonObject, input: SiteInput, responses: readonly SiteResponse[]): string | null {
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
export function movedTo(responses: readonly SiteResponse[]): string | null {
  for (const root of readDocuments(responses).data) {
    for (const action of arrayAt(root, 'onResponseReceivedActions')) {
      const id = filledAt(action, 'navigateAction.endpoint.browseEndpoint.browseId');
      if (id?.startsWith('UC')) return id;
    }
  }
  return null;
}
