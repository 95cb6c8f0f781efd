// Page: /channel/UC…/videos, or the JSON answers of youtubei/v1/browse for it.
// Data: ytInitialData → the tab whose address ends in /videos → richGridRenderer or gridRenderer.
// Seen: gridVideoRenderer to Aug 2022, videoRenderer to Feb 2026, lockupViewModel from May 2026.
import { failed, ok } from '../outcome.ts';
import { asText } from '../read/value.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { readChannel } from './channel.ts';
import { pageOf } from './continuation.ts';
import { lockupOf, readLockup, readVideoRenderer, videoRendererOf, type VideoItem } from './items.ts';

export function extractChannelVideos(responses: readonly SiteResponse[], input: SiteInput): SiteOutcome {
  const reading = readChannel(responses, input, 'videos');
  if ('failure' in reading) return reading.failure;
  const { channelId, entries, token } = reading.list;
  const videos = entries.flatMap((entry) => readEntry(entry) ?? []);
  if (videos.length === 0 && entries.some(isUnknownItem)) {
    return failed('unrecognised', `list entries of unknown kind: ${keysOf(entries)}`);
  }
  return ok({
    channel_id: channelId,
    videos: videos.map(({ id, title, thumbnail, view_count, published_at, duration }) => ({
      id,
      title,
      thumbnail,
      view_count,
      published_at,
      duration,
    })),
    pagination: pageOf(token),
  });
}

function readEntry(entry: unknown): VideoItem | undefined {
  const lockup = lockupOf(entry);
  if (lockup) {
    const kind = asText(lockup['contentType']) ?? 'LOCKUP_CONTENT_TYPE_VIDEO';
    return kind === 'LOCKUP_CONTENT_TYPE_VIDEO' ? readLockup(lockup) : undefined;
  }
  const renderer = videoRendererOf(entry);
  return renderer && readVideoRenderer(renderer);
}

export function keysOf(entries: readonly unknown[]): string {
  return [...new Set(entries.flatMap((entry) => Object.keys(Object(entry))))].slice(0, 5).join(', ');
}

/** Entries that are neither tokens, messages nor shelves should have been read. */
export function isUnknownItem(entry: unknown): boolean {
  return !Object.keys(Object(entry)).some((key) =>
    /^(?:continuationItem|message|richSection|adSlot|backgroundPromo|feedFilterChipBar|chipCloud)/.test(key),
  );
}
