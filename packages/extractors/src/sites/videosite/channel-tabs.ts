// Page: /channel/UC…/videos or /shorts, or the JSON answers of youtubei/v1/browse for it.
// Data: ytInitialData → the tab whose address ends in the tab's name → richGridRenderer or gridRenderer; or the automatic
// playlist UULF… or UUSH…. Seen: gridVideoRenderer to Aug 2022, videoRenderer to Feb 2026, lockupViewModel from May 2026;
// shorts: reelItemRenderer Oct 2022 to Sep 2024, shortsLockupViewModel from Nov 2024.
import { PREBUILT_APIS } from '@gleaner/contracts';
import { failed, ok } from '../outcome.ts';
import { pick } from '../pick.ts';
import { textAt } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SiteReader, SiteResponse } from '../types.ts';
import { type ChannelTab, readChannel } from './channel.ts';
import { pageOf } from './continuation.ts';
import {
  lockupOf,
  readLockup,
  readShort,
  readVideoRenderer,
  videoRendererOf,
  type VideoItem,
} from './items.ts';

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

function extractTab(tab: ChannelTab, responses: readonly SiteResponse[], input: SiteInput): SiteOutcome {
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
