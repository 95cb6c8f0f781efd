import {
  type JsonObject,
  pick,
  arrayAt,
  at,
  countAt,
  filledAt,
  first,
  flagAt,
  idAt,
  numberAt,
  textAt,
} from '../read/value.ts';
import { PREBUILT_APIS } from '@gleaner/contracts';
import { timeOfId } from '../read/text.ts';
import { isObject } from '@gleaner/contracts/values';

/** A post or reel, in the union of both endpoints' fields. */
export type Media = ReturnType<typeof readMedia>;

/** The media object in a list entry, in any wrapper. */
export function unwrapMedia(entry: unknown): JsonObject | undefined {
  let node = entry;
  for (const key of ['node', 'media', 'shortcode_media', 'xdt_shortcode_media']) {
    const inner = at(node, key);
    if (isObject(inner)) node = inner;
  }
  const isMedia = idAt(node, 'pk', 'id') !== null && filledAt(node, 'code', 'shortcode') !== null;
  return isObject(node) && isMedia ? node : undefined;
}

/** Creation time of an id: milliseconds above 23 bits since 2011-08-24. It is minutes before the post appears. */
const ID_EPOCH_MS = 1_314_220_021_721;

export function readMedia(node: JsonObject) {
  const whole = idAt(node, 'pk', 'id');
  const id = whole?.split('_', 1)[0] ?? null;
  const createdMs = id === null ? null : timeOfId(id, 23, ID_EPOCH_MS);
  return {
    id,
    shortcode: filledAt(node, 'code', 'shortcode'),
    display_url: pictureOf(node),
    is_video: isVideo(node),
    video_url: videoUrlOf(node),
    likes: likesOf(node),
    comments: countAt(
      node,
      'edge_media_to_comment.count',
      'edge_media_to_parent_comment.count',
      'edge_media_preview_comment.count',
      'comments.count',
      'comment_count',
    ),
    plays: countAt(node, 'video_play_count', 'play_count', 'ig_play_count', 'video_view_count', 'view_count'),
    timestamp: first(
      countAt(node, 'taken_at_timestamp', 'taken_at', 'date'),
      createdMs === null ? null : Math.floor(createdMs / 1000),
    ),
    caption: textAt(node, 'edge_media_to_caption.edges.0.node.text', 'caption.text', 'caption'),
    ownerId: ownerOf(node),
  };
}

function pictureOf(node: JsonObject): string | null {
  return filledAt(
    node,
    'display_url',
    'display_src',
    'image_versions2.candidates.0.url',
    'carousel_media.0.image_versions2.candidates.0.url',
    'display_uri',
    'thumbnail_src',
    'thumbnail_url',
  );
}

const VIDEO = 2;

function isVideo(node: JsonObject): boolean | null {
  const flag = flagAt(node, 'is_video');
  if (flag !== null) return flag;
  const type = numberAt(node, 'media_type');
  if (type !== null) return type === VIDEO;
  const name = textAt(node, '__typename') ?? '';
  if (/Video|Image|Sidecar|Carousel|Photo/.test(name)) return name.includes('Video');
  const hasPicture = pictureOf(node) !== null;
  return arrayAt(node, 'video_versions').length > 0 || (hasPicture ? false : null);
}

/** The largest file; the list is not sorted by size. */
function videoUrlOf(node: JsonObject): string | null {
  const area = (version: unknown): number =>
    (numberAt(version, 'width') ?? 0) * (numberAt(version, 'height') ?? 0);
  let best: unknown;
  for (const version of arrayAt(node, 'video_versions')) {
    if (best === undefined || area(version) > area(best)) best = version;
  }
  return first(filledAt(node, 'video_url'), filledAt(best, 'url'));
}

/** The owner can hide the count. The number in the data is then meaningless. */
function likesOf(node: JsonObject): number | null {
  return node['like_and_view_counts_disabled'] === true
    ? null
    : countAt(node, 'edge_media_preview_like.count', 'edge_liked_by.count', 'likes.count', 'like_count');
}

function ownerOf(node: JsonObject): string | null {
  const inId = /^\d+_(\d+)$/.exec(textAt(node, 'id') ?? '')?.[1];
  return first(idAt(node, 'user.pk', 'owner.id', 'owner.pk'), inId, idAt(node, 'owner_id.pk'));
}

const POST = PREBUILT_APIS['photoapp-posts'].output.shape.posts.element.shape;
const REEL = PREBUILT_APIS['photoapp-reels'].output.shape.reels.element.shape;

export function postOf(media: Media): JsonObject {
  return pick(POST, media);
}

export function reelOf(media: Partial<Media>): JsonObject {
  return pick(REEL, media);
}

/** The media with its missing fields from another reading of it, because guests and reduced lists see less. */
export function completeMedia(media: Partial<Media>, twin: Media): Media {
  const own = Object.entries(media).filter(([, value]) => value !== null);
  // A time derived from the id is too early, so the later of two is the site's own.
  const timestamp = Math.max(media.timestamp ?? 0, twin.timestamp ?? 0) || null;
  return { ...twin, ...Object.fromEntries(own), timestamp };
}
