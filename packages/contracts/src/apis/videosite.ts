import { z } from 'zod';
import { addressInput, fault, list, text, tokenInput, whole } from './fields.ts';
import { definePrebuiltApi } from './prebuilt-api.ts';

const channelIdInput = z
  .string()
  .trim()
  .regex(/^UC[0-9A-Za-z_-]{22}$/, 'must be a channel id: UC and 22 letters, digits, - or _')
  .describe('Channel identifier beginning with UC.');

const continuationInput = tokenInput('`pagination.continuation` of the previous response.');

const channelPageInput = z
  .strictObject({ channel_id: channelIdInput.optional(), continuation: continuationInput.optional() })
  .refine((input) => input.channel_id !== undefined || input.continuation !== undefined, {
    ...fault('channel_id', 'is required for the first page (or continuation for a later one)'),
  });

const pagination = z.object({
  continuation: text('Token of the next page; null on the last one.'),
  has_more: z.boolean(),
});

export const videositeChannelVideos = definePrebuiltApi({
  id: 'videosite-channel-videos',
  name: 'Video-sharing channel videos',
  description: 'A page of a channel’s videos, newest first.',
  input: channelPageInput,
  output: z.object({
    channel_id: text('Channel identifier.'),
    videos: list(
      z.object({
        id: text('Video id, 11 characters.'),
        title: text('Title.'),
        thumbnail: text('Largest thumbnail.'),
        view_count: whole(
          'Views; expanded from `26k` where the page rounds them. Null while live or upcoming and for members-only videos.',
        ),
        published_at: text('The words on the page: `3 days ago`.'),
        duration: text('Clock text: `9:36`, `1:02:03`.'),
      }),
      'Videos of this page.',
    ),
    pagination,
  }),
  rowKey: { list: 'videos', key: [{ column: 'id', path: 'id' }] },
});

export const videositeChannelShorts = definePrebuiltApi({
  id: 'videosite-channel-shorts',
  name: 'Video-sharing channel shorts',
  description: 'A page of a channel’s shorts, newest first.',
  input: channelPageInput,
  output: z.object({
    channel_id: text('Channel identifier.'),
    shorts: list(
      z.object({
        id: text('Video id, 11 characters.'),
        title: text('Title.'),
        thumbnail: text('Largest thumbnail.'),
        view_count: whole('Views, expanded from the rounded `895k`. Null for members-only shorts.'),
      }),
      'Shorts of this page.',
    ),
    pagination,
  }),
  rowKey: { list: 'shorts', key: [{ column: 'id', path: 'id' }] },
});

export const videositeSearch = definePrebuiltApi({
  id: 'videosite-search',
  name: 'Video-sharing search',
  description: 'A page of search results: videos, channels, playlists and mixes, without advertisements.',
  input: z
    .strictObject({
      query: z.string().trim().min(1).max(500).optional().describe('Search query.'),
      continuation: continuationInput.optional(),
    })
    .refine((input) => input.query !== undefined || input.continuation !== undefined, {
      ...fault('query', 'is required for the first page (or continuation for a later one)'),
    }),
  output: z.object({
    results: list(
      z.object({
        type: text('video, short, channel, playlist, mix, podcast, album, movie or show.'),
        id: text('Id of the video, channel or playlist.'),
        title: text('Title, or the channel’s name.'),
        thumbnail: text('Largest thumbnail.'),
        channel: text('Name of the channel.'),
        view_count: whole('Views; null for other types and while live or upcoming.'),
        published_at: text('The words on the page: `3 days ago`.'),
        duration: text('Clock text: `9:36`.'),
      }),
      'Results in the order of the page.',
    ),
    pagination,
  }),
  rowKey: {
    list: 'results',
    key: [
      { column: 'type', path: 'type' },
      { column: 'id', path: 'id' },
    ],
  },
});

export const videositeVideo = definePrebuiltApi({
  id: 'videosite-video',
  name: 'Video-sharing video',
  description: 'One video: texts, counts, tags and category. Give `video_id` or `url`.',
  input: z
    .strictObject({
      video_id: z
        .string()
        .trim()
        .regex(/^[0-9A-Za-z_-]{11}$/, 'must be a video id: 11 letters, digits, - or _')
        .optional()
        .describe('Video id, 11 characters.'),
      url: addressInput('Address of the video: watch, short link, shorts, live or embed form.').optional(),
    })
    .refine((input) => input.video_id !== undefined || input.url !== undefined, {
      ...fault('video_id', 'is required, or url'),
    }),
  output: z.object({
    id: text('Video id, 11 characters.'),
    title: text('Title in the original language.'),
    description: text('Description; can be empty.'),
    channel: z.object({
      id: text('Channel identifier.'),
      name: text('Name of the channel.'),
      url: text('Address of the channel.'),
    }),
    metrics: z.object({
      view_count: whole('Views.'),
      like_count: whole('Likes; null when they are disabled.'),
      comment_count: whole('Comments, expanded from `684K` where the page rounds them; null when disabled.'),
    }),
    published_at: text('ISO 8601 date or date-time, as on the page.'),
    duration: text('Clock text: `9:36`; null while live or upcoming.'),
    thumbnail: text('Largest thumbnail.'),
    tags: list(z.string(), 'Keywords from the uploader.'),
    category: text('Category in English.'),
  }),
  rowKey: { key: [{ column: 'id', path: 'id' }] },
});
