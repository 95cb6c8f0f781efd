import type { PREBUILT_APIS } from '@gleaner/contracts';
import type { z } from 'zod';
import { clockText } from '../read/text.ts';
import { isObject } from '@gleaner/contracts/values';
import {
  arrayAt,
  at,
  fieldReader,
  filledAt,
  first,
  textAt,
  type JsonObject,
  wholeAt,
  objectsOf,
} from '../read/value.ts';
import {
  imageAt,
  isAge,
  readForeignCount,
  readForeignListCount,
  readViews,
  shownAt,
  textOf,
} from './text.ts';

/** The data of a video in lists, in the fields of the search endpoint. */
export type VideoItem = Omit<
  z.output<(typeof PREBUILT_APIS)['videosite-search']['output']>['results'][number],
  'type' | 'id'
> & { id: string };

const VIDEO_RENDERERS =
  'videoRenderer gridVideoRenderer playlistVideoRenderer compactVideoRenderer childVideoRenderer reelItemRenderer'.split(
    ' ',
  );

/** The first of these objects in a list entry, in any wrapper. */
export function contentOf(entry: unknown, names: readonly string[]): JsonObject | undefined {
  const content = at(entry, 'richItemRenderer.content') ?? entry;
  return names.map((name) => at(content, name)).find(isObject);
}

export function videoRendererOf(entry: unknown): JsonObject | undefined {
  return contentOf(entry, VIDEO_RENDERERS);
}

export function lockupOf(entry: unknown): JsonObject | undefined {
  return contentOf(entry, ['lockupViewModel']);
}

/** Live and upcoming items show viewers who watch or wait instead of views. */
function isLiveOrUpcoming(renderer: JsonObject): boolean {
  return (
    isObject(renderer['upcomingEventData']) ||
    arrayAt(renderer, 'thumbnailOverlays').some((overlay) =>
      /^(?:LIVE|UPCOMING)$/.test(textAt(overlay, 'thumbnailOverlayTimeStatusRenderer.style') ?? ''),
    ) ||
    arrayAt(renderer, 'badges').some((badge) =>
      /LIVE_NOW/.test(textAt(badge, 'metadataBadgeRenderer.style') ?? ''),
    )
  );
}

/** `videoRenderer` and similar ones: search results, and channel lists until 2026. */
export function readVideoRenderer(renderer: JsonObject): VideoItem | undefined {
  const id = filledAt(renderer, 'videoId');
  if (id === null) return undefined;
  const isLive = isLiveOrUpcoming(renderer);
  return {
    id,
    title: shownAt(renderer, 'title', 'headline'),
    thumbnail: imageAt(renderer, 'thumbnail.thumbnails'),
    channel: shownAt(renderer, 'ownerText', 'longBylineText', 'shortBylineText'),
    view_count: isLive ? null : rendererViews(renderer),
    published_at: first(shownAt(renderer, 'publishedTimeText'), infoParts(renderer).find(isAge)),
    duration: rendererDuration(renderer),
  };
}

function rendererViews(renderer: JsonObject): number | null {
  const exact = shownAt(renderer, 'viewCountText');
  return first(
    readViews(exact),
    /watching|waiting/i.test(exact ?? '') ? null : readForeignCount(exact),
    readViews(shownAt(renderer, 'shortViewCountText')),
    infoParts(renderer)
      .map(readViews)
      .find((views) => views !== null),
  );
}

/** `videoInfo` of playlist entries: `1.2M views`, ` • `, `3 days ago`. */
function infoParts(renderer: JsonObject): string[] {
  return arrayAt(renderer, 'videoInfo.runs').flatMap((run) => filledAt(run, 'text') ?? []);
}

/** A text that is the length of a video. */
const clockAt = fieldReader((value) => {
  const text = textOf(value);
  return text !== null && /^\s*\d{1,4}(:\d{2}){1,2}\s*$/.test(text) ? text.trim() : null;
});

function rendererDuration(renderer: JsonObject): string | null {
  const overlays = arrayAt(renderer, 'thumbnailOverlays').map((overlay) =>
    clockAt(overlay, 'thumbnailOverlayTimeStatusRenderer.text'),
  );
  return first(clockAt(renderer, 'lengthText'), ...overlays, clockText(wholeAt(renderer, 'lengthSeconds')));
}

interface MetadataPart {
  text: string;
  label: string | null;
  icon: string | null;
}

/** The parts of a lockup's metadata, row by row. */
function metadataRows(lockup: JsonObject): MetadataPart[][] {
  return arrayAt(
    lockup,
    'metadata.lockupMetadataViewModel.metadata.contentMetadataViewModel.metadataRows',
  ).map((row) =>
    arrayAt(row, 'metadataParts').flatMap((part) => {
      const text = shownAt(part, 'text');
      const label = textAt(part, 'accessibilityLabel');
      const icon = textAt(part, 'leadingIcon.name', 'leadingIcon.imageName');
      return text === null && label === null ? [] : [{ text: text ?? label ?? '', label, icon }];
    }),
  );
}

/** `lockupViewModel`: channel lists since May 2026, playlists in search since late 2024. */
export function readLockup(lockup: JsonObject): VideoItem | undefined {
  const id = filledAt(
    lockup,
    'contentId',
    'rendererContext.commandContext.onTap.innertubeCommand.watchEndpoint.videoId',
  );
  if (id === null) return undefined;
  const rows = metadataRows(lockup);
  const isLive = underImage(
    lockup,
    (node) => textAt(node, 'badgeStyle')?.endsWith('BADGE_STYLE_LIVE') || null,
  );
  return {
    id,
    title: shownAt(lockup, 'metadata.lockupMetadataViewModel.title'),
    thumbnail: underImage(lockup, (node) => imageAt(node, 'sources')),
    channel: lockupChannel(rows),
    view_count: isLive === true ? null : lockupViews(rows),
    published_at: lockupAge(rows),
    duration: underImage(lockup, (node) => clockAt(node, 'text')),
  };
}

function lockupViews(rows: MetadataPart[][]): number | null {
  for (const { text, label, icon } of rows.flat()) {
    const views = first(
      readViews(label),
      readViews(text),
      icon !== null && /PLAY|VIEW/i.test(icon) ? readViews(`${text} views`) : null,
    );
    if (views !== null) return views;
  }
  const [views] = foreignPair(rows) ?? [];
  return views === undefined ? null : readForeignListCount(views.label ?? views.text);
}

/** The last row with two parts holds views and age. They are identified without their words, in any language. */
function foreignPair(rows: MetadataPart[][]): [views: MetadataPart, age: MetadataPart] | undefined {
  const [views, age] = rows.findLast((row) => row.length === 2) ?? [];
  const isPair =
    views !== undefined &&
    age !== undefined &&
    readViews(views.label ?? views.text) === null &&
    /^\D*\d/.test(views.text) &&
    /\d/.test(age.text) &&
    !/premieres|scheduled|waiting|watching|videos?$|subscribers?$|ago$/i.test(`${views.text} ${age.text}`);
  return isPair ? [views, age] : undefined;
}

/** The age in its longer form. In another language it is the words after the views. */
function lockupAge(rows: MetadataPart[][]): string | null {
  for (const { text, label } of rows.flat()) {
    if (label !== null && isAge(label)) return label;
    if (isAge(text)) return label !== null && /\d|ago/i.test(label) ? label : text;
  }
  const [, age] = foreignPair(rows) ?? [];
  return age === undefined ? null : (age.label ?? age.text);
}

/** In a list of several channels, the first row holds only the channel's name. A channel's own page has no such row. */
function lockupChannel(rows: MetadataPart[][]): string | null {
  const name = rows.find((row) => row.length > 0)?.[0];
  if (!name || rows.filter((row) => row.length > 0).length < 2) return null;
  const isOther = readViews(name.text) !== null || isAge(name.text) || /watching|waiting/i.test(name.text);
  return isOther ? null : name.text;
}

/** The first reading of an object inside the lockup's image. */
function underImage<T>(lockup: JsonObject, read: (node: JsonObject) => T | null): T | null {
  for (const node of objectsOf(lockup['contentImage'])) {
    const found = read(node);
    if (found !== null) return found;
  }
  return null;
}

/** A short in any of its layouts. */
export type ShortItem = Pick<VideoItem, 'id' | 'title' | 'thumbnail' | 'view_count'>;

export function readShort(entry: unknown): ShortItem | undefined {
  const shorts = contentOf(entry, ['shortsLockupViewModel']);
  if (shorts) return readShortsLockup(shorts);
  const lockup = lockupOf(entry);
  const renderer = videoRendererOf(entry);
  return lockup ? readLockup(lockup) : renderer && readVideoRenderer(renderer);
}

/** `Title, 895 thousand views – play Short` */
const SPOKEN_TITLE = /^(.{1,500}?), [\d.,]+ ?(?:thousand|million|billion)? views/is;

function readShortsLockup(lockup: JsonObject): ShortItem | undefined {
  const id = first(
    filledAt(
      lockup,
      'onTap.innertubeCommand.reelWatchEndpoint.videoId',
      'inlinePlayerData.onVisible.innertubeCommand.watchEndpoint.videoId',
    ),
    /^shorts-shelf-item-(.+)$/.exec(textAt(lockup, 'entityId') ?? '')?.[1],
  );
  if (id === null) return undefined;
  const spoken = textAt(lockup, 'accessibilityText') ?? '';
  const views = shownAt(lockup, 'overlayMetadata.secondaryText');
  const isMembersOnly = (views ?? '').includes('✪');
  return {
    id,
    title: first(shownAt(lockup, 'overlayMetadata.primaryText'), SPOKEN_TITLE.exec(spoken)?.[1]),
    thumbnail: imageAt(
      lockup,
      'thumbnailViewModel.thumbnailViewModel.image.sources',
      'thumbnailViewModel.image.sources',
      'thumbnail.sources',
    ),
    view_count: isMembersOnly ? null : first(readViews(views), spokenViews(spoken)),
  };
}

function spokenViews(spoken: string): number | null {
  const found = /(?:^|, )([\d.,]+ ?(?:thousand |million |billion )?views?)(?: –| -|,|$)/i.exec(
    spoken.slice(-200),
  );
  return found?.[1] === undefined ? null : readViews(found[1]);
}
