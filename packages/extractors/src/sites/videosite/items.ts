import { clockText, isClockText } from '../read/text.ts';
import { arrayAt, asFilled, asText, at, first, isObject, type JsonObject } from '../read/value.ts';
import { objectsOf } from '../read/walk.ts';
import { isAge, largestImage, readForeignCount, readForeignListCount, readViews, textOf } from './text.ts';

/** The data of a video in lists, in the fields of the search endpoint. */
export interface VideoItem {
  id: string;
  title: string | null;
  thumbnail: string | null;
  channel: string | null;
  view_count: number | null;
  published_at: string | null;
  duration: string | null;
}

const VIDEO_RENDERERS = [
  'videoRenderer',
  'gridVideoRenderer',
  'playlistVideoRenderer',
  'compactVideoRenderer',
  'childVideoRenderer',
  'reelItemRenderer',
] as const;

/** The renderer of a video in a list entry, in any wrapper. */
export function videoRendererOf(entry: unknown): JsonObject | undefined {
  const content = at(entry, 'richItemRenderer', 'content') ?? entry;
  for (const name of VIDEO_RENDERERS) {
    const renderer = at(content, name);
    if (isObject(renderer)) return renderer;
  }
  return undefined;
}

export function lockupOf(entry: unknown): JsonObject | undefined {
  const lockup = at(at(entry, 'richItemRenderer', 'content') ?? entry, 'lockupViewModel');
  return isObject(lockup) ? lockup : undefined;
}

export function shortsLockupOf(entry: unknown): JsonObject | undefined {
  const lockup = at(at(entry, 'richItemRenderer', 'content') ?? entry, 'shortsLockupViewModel');
  return isObject(lockup) ? lockup : undefined;
}

function overlayStyle(renderer: JsonObject): string[] {
  return arrayAt(renderer, 'thumbnailOverlays').flatMap((overlay) => {
    const style = asText(at(overlay, 'thumbnailOverlayTimeStatusRenderer', 'style'));
    return style === null ? [] : [style];
  });
}

/** Live and upcoming items show viewers who watch or wait instead of views. */
function isLiveOrUpcoming(renderer: JsonObject): boolean {
  return (
    isObject(renderer['upcomingEventData']) ||
    overlayStyle(renderer).some((style) => style === 'LIVE' || style === 'UPCOMING') ||
    arrayAt(renderer, 'badges').some((badge) =>
      /LIVE_NOW/.test(asText(at(badge, 'metadataBadgeRenderer', 'style')) ?? ''),
    )
  );
}

/** `videoRenderer` and similar ones: search results, and channel lists until 2026. */
export function readVideoRenderer(renderer: JsonObject): VideoItem | undefined {
  const id = asFilled(renderer['videoId']);
  if (id === null) return undefined;
  const isLive = isLiveOrUpcoming(renderer);
  return {
    id,
    title: first(textOf(renderer['title']), textOf(renderer['headline'])),
    thumbnail: largestImage(arrayAt(renderer, 'thumbnail', 'thumbnails')),
    channel: first(
      textOf(renderer['ownerText']),
      textOf(renderer['longBylineText']),
      textOf(renderer['shortBylineText']),
    ),
    view_count: isLive ? null : rendererViews(renderer),
    published_at: first(textOf(renderer['publishedTimeText']), infoAge(renderer)),
    duration: rendererDuration(renderer),
  };
}

function rendererViews(renderer: JsonObject): number | null {
  const exact = textOf(renderer['viewCountText']);
  const short = textOf(renderer['shortViewCountText']);
  return first(
    exact === null ? null : readViews(exact),
    exact === null || /watching|waiting/i.test(exact) ? null : readForeignCount(exact),
    short === null ? null : readViews(short),
    infoParts(renderer)
      .map(readViews)
      .find((views) => views !== null),
  );
}

/** `videoInfo` of playlist entries: `1.2M views`, ` • `, `3 days ago`. */
function infoParts(renderer: JsonObject): string[] {
  return arrayAt(renderer, 'videoInfo', 'runs').flatMap((run) => asFilled(at(run, 'text')) ?? []);
}

function infoAge(renderer: JsonObject): string | null {
  return infoParts(renderer).find(isAge) ?? null;
}

function rendererDuration(renderer: JsonObject): string | null {
  const written = textOf(renderer['lengthText']);
  if (written !== null && isClockText(written)) return written.trim();
  for (const overlay of arrayAt(renderer, 'thumbnailOverlays')) {
    const text = textOf(at(overlay, 'thumbnailOverlayTimeStatusRenderer', 'text'));
    if (text !== null && isClockText(text)) return text.trim();
  }
  const seconds = Number(renderer['lengthSeconds'] ?? Number.NaN);
  return clockText(Number.isSafeInteger(seconds) ? seconds : null);
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
    'metadata',
    'lockupMetadataViewModel',
    'metadata',
    'contentMetadataViewModel',
    'metadataRows',
  ).map((row) =>
    arrayAt(row, 'metadataParts').flatMap((part) => {
      const text = textOf(at(part, 'text'));
      const label = asText(at(part, 'accessibilityLabel'));
      const icon = asText(at(part, 'leadingIcon', 'name')) ?? asText(at(part, 'leadingIcon', 'imageName'));
      return text === null && label === null ? [] : [{ text: text ?? label ?? '', label, icon }];
    }),
  );
}

/** `lockupViewModel`: channel lists since May 2026, playlists in search since late 2024. */
export function readLockup(lockup: JsonObject): VideoItem | undefined {
  const id = first(
    asFilled(lockup['contentId']),
    asFilled(
      at(
        lockup,
        'rendererContext',
        'commandContext',
        'onTap',
        'innertubeCommand',
        'watchEndpoint',
        'videoId',
      ),
    ),
  );
  if (id === null) return undefined;
  const rows = metadataRows(lockup);
  const isLive = isLiveLockup(lockup);
  return {
    id,
    title: textOf(at(lockup, 'metadata', 'lockupMetadataViewModel', 'title')),
    thumbnail: largestImage(lockupImages(lockup)),
    channel: lockupChannel(rows),
    view_count: isLive ? null : lockupViews(rows),
    published_at: lockupAge(rows),
    duration: lockupDuration(lockup),
  };
}

function lockupViews(rows: MetadataPart[][]): number | null {
  for (const { text, label, icon } of rows.flat()) {
    const views = first(
      label === null ? null : readViews(label),
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

function lockupImages(lockup: JsonObject): unknown[] {
  for (const node of objectsOf(lockup['contentImage'])) {
    const sources = arrayAt(node, 'sources');
    if (sources.some((source) => asFilled(at(source, 'url')) !== null)) return sources;
  }
  return [];
}

function lockupDuration(lockup: JsonObject): string | null {
  for (const node of objectsOf(lockup['contentImage'])) {
    const text = asText(node['text']);
    if (text !== null && isClockText(text)) return text.trim();
  }
  return null;
}

function isLiveLockup(lockup: JsonObject): boolean {
  for (const node of objectsOf(lockup['contentImage'])) {
    if ((asText(node['badgeStyle']) ?? '').endsWith('BADGE_STYLE_LIVE')) return true;
  }
  return false;
}

/** A short in any of its layouts. */
export function readShort(
  entry: unknown,
): Pick<VideoItem, 'id' | 'title' | 'thumbnail' | 'view_count'> | undefined {
  const shorts = shortsLockupOf(entry);
  if (shorts) return readShortsLockup(shorts);
  const lockup = lockupOf(entry);
  const renderer = videoRendererOf(entry);
  const item = lockup ? readLockup(lockup) : renderer ? readVideoRenderer(renderer) : undefined;
  return item && { id: item.id, title: item.title, thumbnail: item.thumbnail, view_count: item.view_count };
}

function readShortsLockup(lockup: JsonObject): ReturnType<typeof readShort> {
  const tap = at(lockup, 'onTap', 'innertubeCommand', 'reelWatchEndpoint', 'videoId');
  const inline = at(lockup, 'inlinePlayerData', 'onVisible', 'innertubeCommand', 'watchEndpoint', 'videoId');
  const entity = /^shorts-shelf-item-(.+)$/.exec(asText(lockup['entityId']) ?? '')?.[1];
  const id = first(asFilled(tap), asFilled(inline), entity);
  if (id === null) return undefined;
  const spoken = asText(lockup['accessibilityText']) ?? '';
  const views = textOf(at(lockup, 'overlayMetadata', 'secondaryText'));
  const sources = arrayAt(lockup, 'thumbnailViewModel', 'thumbnailViewModel', 'image', 'sources');
  const isMembersOnly = (views ?? '').includes('✪');
  return {
    id,
    title: first(textOf(at(lockup, 'overlayMetadata', 'primaryText')), spokenTitle(spoken)),
    thumbnail: first(
      largestImage(sources),
      largestImage(arrayAt(lockup, 'thumbnailViewModel', 'image', 'sources')),
      largestImage(arrayAt(lockup, 'thumbnail', 'sources')),
    ),
    view_count: isMembersOnly ? null : first(views === null ? null : readViews(views), spokenViews(spoken)),
  };
}

/** `Title, 895 thousand views – play Short` */
function spokenTitle(spoken: string): string | null {
  return /^(.{1,500}?), [\d.,]+ ?(?:thousand|million|billion)? views/is.exec(spoken)?.[1] ?? null;
}

function spokenViews(spoken: string): number | null {
  const found = /(?:^|, )([\d.,]+ ?(?:thousand |million |billion )?views?)(?: –| -|,|$)/i.exec(
    spoken.slice(-200),
  );
  return found?.[1] === undefined ? null : readViews(found[1]);
}
