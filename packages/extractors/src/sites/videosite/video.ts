// Page: /watch?v=…, or the JSON answers of youtubei/v1/player and youtubei/v1/next.
// Data: videoDetails and microformat of the player response; counts of likes and comments from the initial data.
// Seen: Jul 2021 to Jul 2026.
import type { SiteResponses, SiteInput, SiteOutcome } from '../types.ts';
import { cutText } from '@gleaner/contracts/text';
import { failed, ok } from '../outcome.ts';
import { tagsOf } from '../read/html.ts';
import {
  arrayAt,
  asCount,
  asFilled,
  asText,
  at,
  countAt,
  fieldReader,
  filledAt,
  first,
  objectAt,
  objectsOf,
  objectUnder,
  textAt,
  type JsonObject,
} from '../read/value.ts';
import { imageAt, readBareCount, readForeignCount, readViews, shownAt } from './text.ts';
import { clockText, writtenDay } from '../read/text.ts';
import { isObject } from '@gleaner/contracts/values';
import { readAlert, readDocuments } from './documents.ts';

export function extractVideo(responses: SiteResponses, input: SiteInput): SiteOutcome {
  const { player, data, html, walls } = readDocuments(responses);
  const details = objectAt(player, 'videoDetails');
  const micro = objectAt(player, 'microformat.playerMicroformatRenderer');
  const hasMetadata = filledAt(details, 'title') !== null || asFilled(shownAt(micro, 'title')) !== null;
  if (player && !hasMetadata) return readPlayability(player);
  const initial = data.find((root) => isObject(root['contents'])) ?? data[0];
  const contents = at(initial, 'contents');
  const primary = objectUnder(contents, 'videoPrimaryInfoRenderer');
  if (!hasMetadata && !primary) {
    const alert = initial && readAlert(initial);
    return alert ?? walls[0] ?? failed('unrecognised', 'neither player data nor a watch page');
  }
  const owner = objectUnder(contents, 'videoOwnerRenderer');
  const secondary = objectUnder(contents, 'videoSecondaryInfoRenderer');
  const panel = objectUnder(at(initial, 'engagementPanels'), 'expandableVideoDescriptionBodyRenderer');
  const all = { details, micro, initial, primary, secondary, owner, panel };
  const meta = readPageMeta(html);
  const keywords = details?.['keywords'];
  const watched = 'initial.currentVideoEndpoint.watchEndpoint.videoId';
  const id = filledAt(all, 'details.videoId', 'micro.externalVideoId', watched);
  const asked = filledAt(input, 'video_id');
  if (asked !== null && id !== null && asked !== id) {
    return failed('not_found', `another video was served: ${id}`);
  }
  const ownerId = 'owner.navigationEndpoint.browseEndpoint.browseId';
  const channelId =
    filledAt(all, 'details.channelId', 'micro.externalChannelId', ownerId) ?? collaboratorId(owner);
  const profileUrl = filledAt(micro, 'ownerProfileUrl')?.replace(/^http:/, 'https:') ?? null;
  return ok({
    id,
    title: first(filledAt(all, 'details.title'), shownAt(all, 'micro.title', 'primary.title')),
    description: first(
      textAt(all, 'details.shortDescription'),
      shownAt(all, 'micro.description', 'panel.attributedDescriptionBodyText'),
      shownAt(all, 'secondary.attributedDescription', 'secondary.description'),
      micro ? '' : null,
    ),
    channel: {
      id: channelId,
      name: first(
        filledAt(all, 'details.author', 'micro.ownerChannelName'),
        shownAt(all, 'owner.title', 'owner.attributedTitle'),
      ),
      url: channelId === null ? profileUrl : `https://www.youtube.com/channel/${channelId}`,
    },
    metrics: {
      view_count: countAt(all, 'details.viewCount', 'micro.viewCount') ?? pageViews(primary),
      like_count: details?.['allowRatings'] === false ? null : readLikes(micro, initial),
      comment_count: readComments(initial),
    },
    published_at: first(
      filledAt(micro, 'publishDate', 'uploadDate'),
      meta.published,
      writtenDay(shownAt(primary, 'dateText')),
    ),
    duration: clockText(lengthAt(all, 'details.lengthSeconds', 'micro.lengthSeconds')),
    thumbnail: imageAt(all, 'details.thumbnail.thumbnails', 'micro.thumbnail.thumbnails') ?? meta.image,
    tags: Array.isArray(keywords) ? keywords.filter((tag) => typeof tag === 'string') : meta.tags,
    category: filledAt(micro, 'category') ?? meta.genre,
  });
}

/** The site writes 0 for a live video. */
const lengthAt = fieldReader((value) => asCount(value) || null);

function collaboratorId(owner: unknown): string | null {
  const list = objectUnder(at(owner, 'attributedTitle'), 'listViewModel');
  const first = at(list, 'listItems.0');
  const endpoint = objectUnder(first, 'browseEndpoint');
  return filledAt(endpoint, 'browseId');
}

/** Null for a live video, because its text counts current viewers. */
function pageViews(primary: unknown): number | null {
  const renderer = objectAt(primary, 'viewCount.videoViewCountRenderer');
  if (!renderer || renderer['isLive'] === true) return null;
  const text = shownAt(renderer, 'viewCount');
  if (text === null || /watching|waiting/i.test(text)) return null;
  return readViews(text) ?? readForeignCount(text);
}

/** The meta elements of a watch page. */
function readPageMeta(html: string | undefined) {
  const tags: string[] = [];
  const meta: Record<'published' | 'genre' | 'image', string | null> = {
    published: null,
    genre: null,
    image: null,
  };
  for (const { attributes: tag } of tagsOf(html ?? '', 'meta')) {
    const name = tag.get('itemprop') ?? tag.get('property');
    const value = tag.get('content');
    if (!value) continue;
    if (name === 'datePublished') meta.published ??= value;
    else if (name === 'genre') meta.genre ??= value;
    else if (name === 'og:image') meta.image ??= value;
    else if (name === 'og:video:tag') tags.push(value);
  }
  return { ...meta, tags };
}

/** Classifies a player response without metadata: a fact about the video or about our visit. */
function readPlayability(player: JsonObject): SiteOutcome {
  const playability = player['playabilityStatus'];
  if (!isObject(playability)) return failed('unrecognised', 'a player response without playabilityStatus');
  const status = textAt(playability, 'status') ?? '';
  const words = [
    textAt(playability, 'reason'),
    ...arrayAt(playability, 'messages').map(asText),
    shownAt(playability, 'errorScreen.playerErrorMessageRenderer.reason'),
    shownAt(playability, 'errorScreen.playerErrorMessageRenderer.subreason'),
  ].filter((text) => text !== null);
  const said = words.join(' ');
  const evidence = `playabilityStatus ${status}: ${cutText([...new Set(words)].join(' | '), 300)}`;
  if (isObject(at(playability, 'errorScreen.playerCaptchaViewModel')))
    return failed('blocked', `captcha, ${evidence}`);
  if (/not a bot/i.test(said)) return failed('blocked', evidence);
  if (/try again later/i.test(said)) return failed('rate_limited', evidence);
  if (/\bprivate\b/i.test(said)) return failed('private', evidence);
  if (status === 'LOGIN_REQUIRED' || status.endsWith('CHECK_REQUIRED')) return failed('blocked', evidence);
  if (/members|join this channel|premium|purchase|rent|payment/i.test(said))
    return failed('private', evidence);
  if (/country|region/i.test(said)) return failed('blocked', evidence);
  if (status === 'ERROR' || status === 'UNPLAYABLE') return failed('not_found', evidence);
  return failed('unrecognised', evidence);
}

/** Likes: exact in the microformat since 2025, before that in the button's spoken label. Null when disabled. */
function readLikes(micro: unknown, initial: unknown): number | null {
  const exact = countAt(micro, 'likeCount');
  if (exact !== null) return exact;
  const contents = at(initial, 'contents');
  return first(viewModelLikes(contents), entityLikes(initial), buttonLikes(contents), factoidLikes(initial));
}

/** `like this video along with 3,895 other people`. Without a number, there are no likes or they are hidden. */
function viewModelLikes(contents: unknown): number | null {
  const button = objectUnder(contents, 'likeButtonViewModel');
  const spoken = textAt(objectUnder(button, 'defaultButtonViewModel'), 'buttonViewModel.accessibilityText');
  return readForeignCount(spoken);
}

function entityLikes(initial: unknown): number | null {
  const entity = objectUnder(at(initial, 'frameworkUpdates'), 'likeCountEntity');
  return readBareCount(shownAt(entity, 'expandedLikeCountIfIndifferent'));
}

/** 2022 and 2023: the segmented button; before: the toggle button with the LIKE icon. */
function buttonLikes(contents: unknown): number | null {
  const segmented = objectAt(objectUnder(contents, 'segmentedLikeDislikeButtonRenderer'), 'likeButton');
  const button = objectAt(segmented, 'toggleButtonRenderer') ?? likeToggle(contents);
  const spoken = textAt(
    button,
    'defaultText.accessibility.accessibilityData.label',
    'accessibilityData.accessibilityData.label',
    'accessibility.label',
  );
  return readForeignCount(spoken);
}

function likeToggle(contents: unknown): JsonObject | undefined {
  for (const node of objectsOf(contents)) {
    const toggle = node['toggleButtonRenderer'];
    if (isObject(toggle) && at(toggle, 'defaultIcon.iconType') === 'LIKE') return toggle;
  }
  return undefined;
}

/** Rounded, in the description panel. */
function factoidLikes(initial: unknown): number | null {
  for (const node of objectsOf(at(initial, 'engagementPanels'))) {
    const factoid = node['factoidRenderer'];
    if (isObject(factoid) && /^likes?$/i.test(shownAt(factoid, 'label')?.trim() ?? '')) {
      return readBareCount(shownAt(factoid, 'value'));
    }
  }
  return null;
}

const COMMENT_PANELS = new Set(['engagement-panel-comments-section', 'comment-item-section']);

/** Comments: exact below 1000, rounded above; null when disabled. */
function readComments(initial: unknown): number | null {
  for (const entry of arrayAt(initial, 'engagementPanels')) {
    const panel = at(entry, 'engagementPanelSectionListRenderer');
    const names = [textAt(panel, 'panelIdentifier'), textAt(panel, 'targetId')];
    if (!names.some((name) => COMMENT_PANELS.has(name ?? ''))) continue;
    const text = shownAt(panel, 'header.engagementPanelTitleHeaderRenderer.contextualInfo');
    const count = readBareCount(text);
    if (count !== null) return count;
  }
  const header = objectUnder(at(initial, 'contents'), 'commentsEntryPointHeaderRenderer');
  return readBareCount(shownAt(header, 'commentCount'));
}
