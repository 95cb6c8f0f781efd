import { timeOfId } from '../read/text.ts';
import {
  arrayAt,
  asCount,
  asFilled,
  asFlag,
  asId,
  asNumber,
  asText,
  at,
  first,
  isObject,
  type JsonObject,
} from '../read/value.ts';

/** A post or reel, in the union of both endpoints' fields. */
export interface Media {
  id: string | null;
  shortcode: string | null;
  display_url: string | null;
  is_video: boolean | null;
  video_url: string | null;
  likes: number | null;
  comments: number | null;
  plays: number | null;
  timestamp: number | null;
  caption: string | null;
  ownerId: string | null;
}

/** The media object in a list entry, in any wrapper. */
export function unwrapMedia(entry: unknown): JsonObject | undefined {
  let node = entry;
  for (const key of ['node', 'media', 'shortcode_media', 'xdt_shortcode_media']) {
    const inner = at(node, key);
    if (isObject(inner)) node = inner;
  }
  return isObject(node) && isMedia(node) ? node : undefined;
}

function isMedia(node: JsonObject): boolean {
  return (
    (asId(node['pk']) ?? asId(node['id'])) !== null &&
    (asFilled(node['code']) ?? asFilled(node['shortcode'])) !== null
  );
}

/** Creation time of an id: milliseconds above 23 bits since 2011-08-24. It is minutes before the post appears. */
const ID_EPOCH_MS = 1_314_220_021_721;

export function readMedia(node: JsonObject): Media {
  const whole = asId(node['pk']) ?? asId(node['id']);
  const id = whole?.split('_', 1)[0] ?? null;
  const createdMs = id === null ? null : timeOfId(id, 23, ID_EPOCH_MS);
  return {
    id,
    shortcode: first(asFilled(node['code']), asFilled(node['shortcode'])),
    display_url: pictureOf(node),
    is_video: isVideo(node),
    video_url: videoUrlOf(node),
    likes: likesOf(node),
    comments: first(
      asCount(at(node, 'edge_media_to_comment', 'count')),
      asCount(at(node, 'edge_media_to_parent_comment', 'count')),
      asCount(at(node, 'edge_media_preview_comment', 'count')),
      asCount(at(node, 'comments', 'count')),
      asCount(node['comment_count']),
    ),
    plays: first(
      asCount(node['video_play_count']),
      asCount(node['play_count']),
      asCount(node['ig_play_count']),
      asCount(node['video_view_count']),
      asCount(node['view_count']),
    ),
    timestamp: first(
      asCount(node['taken_at_timestamp']),
      asCount(node['taken_at']),
      asCount(node['date']),
      createdMs === null ? null : Math.floor(createdMs / 1000),
    ),
    caption: captionOf(node),
    ownerId: ownerOf(node),
  };
}

function pictureOf(node: JsonObject): string | null {
  return first(
    asFilled(node['display_url']),
    asFilled(node['display_src']),
    asFilled(at(node, 'image_versions2', 'candidates', 0, 'url')),
    asFilled(at(node, 'carousel_media', 0, 'image_versions2', 'candidates', 0, 'url')),
    asFilled(node['display_uri']),
    asFilled(node['thumbnail_src']),
    asFilled(node['thumbnail_url']),
  );
}

const VIDEO = 2;

function isVideo(node: JsonObject): boolean | null {
  const flag = asFlag(node['is_video']);
  if (flag !== null) return flag;
  const type = asNumber(node['media_type']);
  if (type !== null) return type === VIDEO;
  const name = asText(node['__typename']) ?? '';
  if (/Video|Image|Sidecar|Carousel|Photo/.test(name)) return name.includes('Video');
  const hasPicture = pictureOf(node) !== null;
  return arrayAt(node, 'video_versions').length > 0 || (hasPicture ? false : null);
}

/** The largest file; the list is not sorted by size. */
function videoUrlOf(node: JsonObject): string | null {
  const area = (version: unknown): number =>
    (asNumber(at(version, 'width')) ?? 0) * (asNumber(at(version, 'height')) ?? 0);
  let best: unknown;
  for (const version of arrayAt(node, 'video_versions')) {
    if (best === undefined || area(version) > area(best)) best = version;
  }
  return first(asFilled(node['video_url']), asFilled(at(best, 'url')));
}

/** The owner can hide the count. The number in the data is then meaningless. */
function likesOf(node: JsonObject): number | null {
  return node['like_and_view_counts_disabled'] === true
    ? null
    : first(
        asCount(at(node, 'edge_media_preview_like', 'count')),
        asCount(at(node, 'edge_liked_by', 'count')),
        asCount(at(node, 'likes', 'count')),
        asCount(node['like_count']),
      );
}

function captionOf(node: JsonObject): string | null {
  return first(
    asText(at(node, 'edge_media_to_caption', 'edges', 0, 'node', 'text')),
    asText(at(node, 'caption', 'text')),
    asText(node['caption']),
  );
}

function ownerOf(node: JsonObject): string | null {
  const inId = /^\d+_(\d+)$/.exec(asText(node['id']) ?? '')?.[1];
  return first(
    asId(at(node, 'user', 'pk')),
    asId(at(node, 'owner', 'id')),
    asId(at(node, 'owner', 'pk')),
    inId,
    asId(at(node, 'owner_id', 'pk')),
  );
}

export function postOf({
  id,
  shortcode,
  display_url,
  is_video,
  likes,
  comments,
  timestamp,
  caption,
}: Media): Record<string, unknown> {
  return {
    id,
    shortcode,
    display_url,
    is_video,
    likes,
    comments,
    timestamp,
    caption,
  };
}

export function reelOf({
  id,
  shortcode,
  display_url,
  video_url,
  likes,
  comments,
  plays,
  timestamp,
  caption,
}: Media): Record<string, unknown> {
  return {
    id,
    shortcode,
    display_url,
    video_url,
    likes,
    comments,
    plays,
    timestamp,
    caption,
  };
}
