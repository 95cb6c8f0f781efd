// Page: /watch?v=…, or the JSON answers of youtubei/v1/player and youtubei/v1/next.
// Data: videoDetails and microformat of the player response; counts of likes and comments from the initial data.
// Seen: Jul 2021 to Jul 2026.
import { failed, ok } from '../outcome.ts';
import { clockText, writtenDay } from '../read/text.ts';
import { isObject } from '@gleaner/contracts/values';
import {
  asCount,
  asFilled,
  at,
  countAt,
  fieldReader,
  filledAt,
  first,
  objectAt,
  textAt,
} from '../read/value.ts';
import { objectUnder } from '../read/walk.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { readAlert, readDocuments } from './documents.ts';
import { readComments, readLikes } from './engagement.ts';
import { readPageMeta } from './page-meta.ts';
import { readPlayability } from './playability.ts';
import { imageAt, readForeignCount, readViews, shownAt } from './text.ts';

export function extractVideo(responses: readonly SiteResponse[], input: SiteInput): SiteOutcome {
  const { player, data, html, walls } = readDocuments(responses);
  const details = objectAt(player, 'videoDetails');
  const micro = objectAt(player, 'microformat.playerMicroformatRenderer');
  const hasMetadata = filledAt(details, 'title') !== null || asFilled(shownAt(micro, 'title')) !== null;
  if (player && !hasMetadata) return readPlayability(player);
  const initial = data.find((root) => isObject(root['contents'])) ?? data[0];
  const primary = objectUnder(at(initial, 'contents'), 'videoPrimaryInfoRenderer');
  if (!hasMetadata && !primary) {
    const alert = initial && readAlert(initial);
    return alert ?? walls[0] ?? failed('unrecognised', 'neither player data nor a watch page');
  }
  const owner = objectUnder(at(initial, 'contents'), 'videoOwnerRenderer');
  const meta = readPageMeta(html);
  const id = first(
    filledAt(details, 'videoId'),
    filledAt(micro, 'externalVideoId'),
    filledAt(initial, 'currentVideoEndpoint.watchEndpoint.videoId'),
  );
  const asked = filledAt(input, 'video_id');
  if (asked !== null && id !== null && asked !== id) {
    return failed('not_found', `another video was served: ${id}`);
  }
  const channelId = first(
    filledAt(details, 'channelId'),
    filledAt(micro, 'externalChannelId'),
    filledAt(owner, 'navigationEndpoint.browseEndpoint.browseId'),
    collaboratorId(owner),
  );
  return ok({
    id,
    title: first(filledAt(details, 'title'), shownAt(micro, 'title'), shownAt(primary, 'title')),
    description: readDescription({ details, micro, initial }),
    channel: {
      id: channelId,
      name: first(
        filledAt(details, 'author'),
        filledAt(micro, 'ownerChannelName'),
        shownAt(owner, 'title', 'attributedTitle'),
      ),
      url: channelId === null ? profileUrl(micro) : `https://www.youtube.com/channel/${channelId}`,
    },
    metrics: {
      view_count: first(countAt(details, 'viewCount'), countAt(micro, 'viewCount'), pageViews(primary)),
      like_count: details?.['allowRatings'] === false ? null : readLikes(micro, initial),
      comment_count: readComments(initial),
    },
    published_at: first(
      filledAt(micro, 'publishDate', 'uploadDate'),
      meta.published,
      writtenDay(shownAt(primary, 'dateText')),
    ),
    duration: clockText(first(lengthAt(details, 'lengthSeconds'), lengthAt(micro, 'lengthSeconds'))),
    thumbnail: first(
      imageAt(details, 'thumbnail.thumbnails'),
      imageAt(micro, 'thumbnail.thumbnails'),
      meta.image,
    ),
    tags: readTags(details?.['keywords'], meta.tags),
    category: first(filledAt(micro, 'category'), meta.genre),
  });
}

function readTags(keywords: unknown, ofPage: string[]): string[] {
  return Array.isArray(keywords) ? keywords.filter((tag) => typeof tag === 'string') : ofPage;
}

/** The site writes 0 for a live video. */
const lengthAt = fieldReader((value) => asCount(value) || null);

function collaboratorId(owner: unknown): string | null {
  const list = objectUnder(at(owner, 'attributedTitle'), 'listViewModel');
  const first = at(list, 'listItems.0');
  const endpoint = objectUnder(first, 'browseEndpoint');
  return filledAt(endpoint, 'browseId');
}

function profileUrl(micro: unknown): string | null {
  return filledAt(micro, 'ownerProfileUrl')?.replace(/^http:/, 'https:') ?? null;
}

/** Null for a live video, because its text counts current viewers. */
function pageViews(primary: unknown): number | null {
  const renderer = objectAt(primary, 'viewCount.videoViewCountRenderer');
  if (!renderer || renderer['isLive'] === true) return null;
  const text = shownAt(renderer, 'viewCount');
  if (text === null || /watching|waiting/i.test(text)) return null;
  return readViews(text) ?? readForeignCount(text);
}

function readDescription({
  details,
  micro,
  initial,
}: {
  details: unknown;
  micro: unknown;
  initial: unknown;
}): string | null {
  const secondary = objectUnder(at(initial, 'contents'), 'videoSecondaryInfoRenderer');
  const panel = objectUnder(at(initial, 'engagementPanels'), 'expandableVideoDescriptionBodyRenderer');
  const plain = first(textAt(details, 'shortDescription'), shownAt(micro, 'description'));
  return first(
    plain,
    shownAt(panel, 'attributedDescriptionBodyText'),
    shownAt(secondary, 'attributedDescription', 'description'),
    micro ? '' : null,
  );
}
