// Page: /watch?v=…, or the JSON answers of youtubei/v1/player and youtubei/v1/next.
// Data: videoDetails and microformat of the player response; counts of likes and comments from the initial data.
// Seen: Jul 2021 to Jul 2026.
import { failed, ok } from '../outcome.ts';
import { clockText } from '../read/text.ts';
import { arrayAt, asCount, asFilled, asText, at, first, isObject, objectAt } from '../read/value.ts';
import { objectUnder } from '../read/walk.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { readAlert, readDocuments } from './documents.ts';
import { readComments, readLikes } from './engagement.ts';
import { readPageMeta } from './page-meta.ts';
import { readPlayability } from './playability.ts';
import { largestImage, readForeignCount, readViews, textOf } from './text.ts';

export function extractVideo(responses: readonly SiteResponse[], input: SiteInput): SiteOutcome {
  const { player, data, html, walls } = readDocuments(responses);
  const details = objectAt(player, 'videoDetails');
  const micro = objectAt(player, 'microformat', 'playerMicroformatRenderer');
  const hasMetadata = asFilled(details?.['title']) !== null || asFilled(textOf(micro?.['title'])) !== null;
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
    asFilled(details?.['videoId']),
    asFilled(micro?.['externalVideoId']),
    asFilled(at(initial, 'currentVideoEndpoint', 'watchEndpoint', 'videoId')),
  );
  const asked = asFilled(input['video_id']);
  if (asked !== null && id !== null && asked !== id) {
    return failed('not_found', `another video was served: ${id}`);
  }
  const channelId = first(
    asFilled(details?.['channelId']),
    asFilled(micro?.['externalChannelId']),
    asFilled(at(owner, 'navigationEndpoint', 'browseEndpoint', 'browseId')),
    collaboratorId(owner),
  );
  return ok({
    id,
    title: first(asFilled(details?.['title']), textOf(micro?.['title']), textOf(primary?.['title'])),
    description: readDescription({ details, micro, initial }),
    channel: {
      id: channelId,
      name: first(
        asFilled(details?.['author']),
        asFilled(micro?.['ownerChannelName']),
        textOf(owner?.['title']),
        textOf(owner?.['attributedTitle']),
      ),
      url: channelId === null ? profileUrl(micro) : `https://www.youtube.com/channel/${channelId}`,
    },
    metrics: {
      view_count: first(asCount(details?.['viewCount']), asCount(micro?.['viewCount']), pageViews(primary)),
      like_count: details?.['allowRatings'] === false ? null : readLikes(micro, initial),
      comment_count: readComments(initial),
    },
    published_at: first(
      asFilled(micro?.['publishDate']),
      asFilled(micro?.['uploadDate']),
      meta.published,
      readWrittenDate(textOf(primary?.['dateText'])),
    ),
    duration: clockText(first(positive(details?.['lengthSeconds']), positive(micro?.['lengthSeconds']))),
    thumbnail: first(
      largestImage(arrayAt(details, 'thumbnail', 'thumbnails')),
      largestImage(arrayAt(micro, 'thumbnail', 'thumbnails')),
      meta.image,
    ),
    tags: readTags(details?.['keywords'], meta.tags),
    category: first(asFilled(micro?.['category']), meta.genre),
  });
}

function readTags(keywords: unknown, ofPage: string[]): string[] {
  return Array.isArray(keywords) ? keywords.filter((tag) => typeof tag === 'string') : ofPage;
}

function positive(value: unknown): number | null {
  const count = asCount(value);
  return count === 0 ? null : count;
}

function collaboratorId(owner: unknown): string | null {
  const list = objectUnder(at(owner, 'attributedTitle'), 'listViewModel');
  const first = at(list, 'listItems', 0);
  const endpoint = objectUnder(first, 'browseEndpoint');
  return asFilled(endpoint?.['browseId']);
}

function profileUrl(micro: unknown): string | null {
  return asFilled(at(micro, 'ownerProfileUrl'))?.replace(/^http:/, 'https:') ?? null;
}

/** Null for a live video, because its text counts current viewers. */
function pageViews(primary: unknown): number | null {
  const renderer = objectAt(primary, 'viewCount', 'videoViewCountRenderer');
  if (!renderer || renderer['isLive'] === true) return null;
  const text = textOf(renderer['viewCount']);
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
  const plain = first(asText(at(details, 'shortDescription')), textOf(at(micro, 'description')));
  return first(
    plain,
    textOf(at(panel, 'attributedDescriptionBodyText')),
    textOf(at(secondary, 'attributedDescription')),
    textOf(at(secondary, 'description')),
    // Without the key (a mask or an empty text), the video still exists.
    micro ? '' : null,
  );
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `Premiered Dec 16, 2025`, `24 Aug 2019` → `2025-12-16`; null for other words. */
function readWrittenDate(text: string | null): string | null {
  const american = /\b([a-z]{3})[a-z]* (\d{1,2}), (\d{4})$/i.exec(text ?? '');
  const british = /\b(\d{1,2}) ([a-z]{3})[a-z]* (\d{4})$/i.exec(text ?? '');
  const [month, day, year] = american
    ? american.slice(1)
    : british
      ? [british[2], british[1], british[3]]
      : [];
  const index = MONTHS.indexOf((month ?? '').toLowerCase());
  if (index === -1 || day === undefined) return null;
  return `${year}-${String(index + 1).padStart(2, '0')}-${day.padStart(2, '0')}`;
}
