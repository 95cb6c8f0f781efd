import { describe, expect, it } from 'vitest';
import { response } from '../fixtures/page.ts';
import {
  ageGateData,
  alertData,
  channelData,
  consentPage,
  continuationData,
  continuationItem,
  type FakeVideo,
  type FakeWatch,
  gridVideoRenderer,
  lockup,
  playerData,
  reelItem,
  refusedPlayer,
  richItem,
  scriptPage,
  searchData,
  shortsLockup,
  thumbnailOf,
  videoRenderer,
  watchData,
} from '../fixtures/videosite.ts';
import { extractChannelShorts, extractChannelVideos } from './channel-tabs.ts';
import { extractSearch } from './search.ts';
import { extractVideo } from './video.ts';

const CHANNEL = 'UCexampleexampleexample0';
const video: FakeVideo = {
  id: 'aB3dE5gH7jK',
  title: 'Why bridges hum };',
  views: 26000,
  age: '3 days ago',
  length: '9:36',
};
const expected = {
  id: video.id,
  title: video.title,
  thumbnail: thumbnailOf(video.id),
  view_count: 26000,
  published_at: '3 days ago',
  duration: '9:36',
};

function page(entries: object[], layout: 'rich' | 'grid' = 'rich'): object {
  return channelData({ channelId: CHANNEL, tabName: 'videos', entries, layout });
}

describe('channel videos', () => {
  const end = continuationItem('next%3D');
  const layouts: [string, object | string][] = [
    ['grid of 2021', page([{ gridVideoRenderer: gridVideoRenderer(video) }, end], 'grid')],
    ['rich grid of 2023', page([richItem('videoRenderer', videoRenderer(video)), end])],
    ['lockups of May 2026', page([richItem('lockupViewModel', lockup(video)), end])],
    [
      'lockups with icons of June 2026',
      page([richItem('lockupViewModel', lockup(video, { icons: true })), end]),
    ],
    [
      'page with scripts',
      scriptPage({ ytInitialData: page([richItem('videoRenderer', videoRenderer(video)), end]) }),
    ],
    [
      'data alone as a list of responses',
      [{ response: page([richItem('lockupViewModel', lockup(video)), end]) }],
    ],
  ];
  it.each(layouts)('reads the %s', (_name, body) => {
    expect(extractChannelVideos([response(body)], {})).toEqual({
      outcome: 'ok',
      data: {
        channel_id: CHANNEL,
        videos: [expected],
        pagination: { continuation: 'next%3D', has_more: true },
      },
    });
  });

  it('reads a later page, with the channel from the request or its token', () => {
    const body = continuationData([richItem('lockupViewModel', lockup(video))]);
    const token = btoa(`\u00e2\u00a9\u0085\u00b2\u0002\u0030\u0012\u0018${CHANNEL}rest`);
    expect(extractChannelVideos([response(body)], { channel_id: CHANNEL })).toMatchObject({
      data: { channel_id: CHANNEL, pagination: { continuation: null, has_more: false } },
    });
    expect(extractChannelVideos([response(body)], { continuation: token })).toMatchObject({
      data: { channel_id: CHANNEL },
    });
    expect(extractChannelVideos([response(body)], {})).toMatchObject({ data: { channel_id: null } });
  });

  it('returns no view count for live, upcoming and members-only videos', () => {
    const live = {
      ...videoRenderer(video),
      viewCountText: { runs: [{ text: '500' }, { text: ' watching' }] },
      badges: [{ metadataBadgeRenderer: { style: 'BADGE_STYLE_TYPE_LIVE_NOW' } }],
      publishedTimeText: undefined,
    };
    const upcoming = {
      ...videoRenderer(video),
      viewCountText: { simpleText: '56 views' },
      upcomingEventData: { startTime: '1773580320' },
    };
    const members = JSON.parse(JSON.stringify(lockup(video)).replace('26K views', '3 days ago')) as object;
    const outcome = extractChannelVideos(
      [
        response(
          page([{ videoRenderer: live }, { videoRenderer: upcoming }, richItem('lockupViewModel', members)]),
        ),
      ],
      {},
    );
    expect(outcome).toMatchObject({
      data: {
        videos: [
          { view_count: null, published_at: null },
          { view_count: null },
          { view_count: null, published_at: '3 days ago' },
        ],
      },
    });
  });

  it.each([
    ['1.077.715 visualizaciones', 'hace 3 días', 1_077_715],
    ['552,295 vistas', 'hace 3 días', 552_295],
    ['397 vaatamist', '3 päeva eest', 397],
    ['1 M de visualizaciones', 'hace 3 días', null],
    ['26 tuh vaatamist', '3 päeva eest', null],
    ['5만회', '3일 전', null],
  ])('takes “%s” in a list of another language only when it is surely exact', (views, age, count) => {
    const foreign = JSON.stringify(lockup(video)).replace('26K views', views).replace('3 days ago', age);
    const body = page([richItem('lockupViewModel', JSON.parse(foreign) as object)]);
    expect(extractChannelVideos([response(body)], {})).toMatchObject({
      data: { videos: [{ view_count: count, published_at: age }] },
    });
  });

  it('returns an empty list for a channel without the tab, and for an empty tab', () => {
    const other = channelData({ channelId: CHANNEL, tabName: 'featured', entries: [] });
    expect(extractChannelVideos([response(other)], {})).toMatchObject({
      outcome: 'ok',
      data: { videos: [] },
    });
    expect(extractChannelVideos([response(page([]))], {})).toMatchObject({
      outcome: 'ok',
      data: { videos: [] },
    });
  });

  it.each([
    ['not_found', alertData('This channel does not exist.')],
    ['not_found', alertData('This account has been terminated because …')],
    ['not_found', { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'invalid argument' } }],
    ['rate_limited', { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }],
    ['blocked', ageGateData()],
    ['blocked', consentPage()],
    ['unrecognised', page([{ brandNewViewModel: { id: 'x' } }])],
    ['unrecognised', { responseContext: {} }],
    ['unrecognised', '<html><title>YouTube</title></html>'],
    ['unrecognised', '{"contents": {"twoColumnBrow'],
  ])('reports %s', (outcome, body) => {
    const result = extractChannelVideos([response(body)], {});
    expect(result.outcome).toBe(outcome);
    expect(result).toHaveProperty('evidence', expect.stringMatching(/./));
  });
});

describe('channel shorts', () => {
  const short = { id: 'zY9xW7vU5tS', title: 'Hum', views: 895000 };
  it.each([
    ['shortsLockupViewModel', shortsLockup(short)],
    ['reelItemRenderer', reelItem(short)],
  ])('reads %s', (name, content) => {
    const body = channelData({ channelId: CHANNEL, tabName: 'shorts', entries: [richItem(name, content)] });
    expect(extractChannelShorts([response(body)], {})).toEqual({
      outcome: 'ok',
      data: {
        channel_id: CHANNEL,
        shorts: [{ id: short.id, title: 'Hum', thumbnail: thumbnailOf(short.id), view_count: 895000 }],
        pagination: { continuation: null, has_more: false },
      },
    });
  });

  it('does not mistake another tab for the shorts', () => {
    const other = channelData({
      channelId: CHANNEL,
      tabName: 'videos',
      entries: [richItem('videoRenderer', videoRenderer(video))],
    });
    expect(extractChannelShorts([response(other)], {})).toMatchObject({ data: { shorts: [] } });
  });
});

describe('search', () => {
  it('reads videos, channels, playlists and mixes, and leaves advertisements and shelves out', () => {
    const entries = [
      { adSlotRenderer: {} },
      { videoRenderer: videoRenderer(video) },
      {
        channelRenderer: {
          channelId: CHANNEL,
          title: { simpleText: 'Span & Load' },
          thumbnail: { thumbnails: [{ url: '//yt3.example/a', width: 88, height: 88 }] },
        },
      },
      {
        playlistRenderer: {
          playlistId: 'PL1',
          title: { simpleText: 'Bridges' },
          thumbnails: [{ thumbnails: [{ url: 'https://i.example/p.jpg', width: 9, height: 9 }] }],
          longBylineText: { runs: [{ text: 'Span & Load' }] },
        },
      },
      { radioRenderer: { playlistId: 'RD1', title: { simpleText: 'Mix' } } },
      {
        shelfRenderer: {
          content: { verticalListRenderer: { items: [{ videoRenderer: videoRenderer(video) }] } },
        },
      },
      {
        lockupViewModel: { ...lockup({ ...video, id: 'PL2' }), contentType: 'LOCKUP_CONTENT_TYPE_PLAYLIST' },
      },
    ];
    const outcome = extractSearch([response(searchData(entries, 'tok'))], {});
    expect(outcome).toMatchObject({
      outcome: 'ok',
      data: {
        results: [
          { type: 'video', ...expected, channel: 'Span & Load' },
          {
            type: 'channel',
            id: CHANNEL,
            channel: 'Span & Load',
            thumbnail: 'https://yt3.example/a',
            view_count: null,
          },
          { type: 'playlist', id: 'PL1', channel: 'Span & Load', published_at: null },
          { type: 'mix', id: 'RD1' },
          { type: 'playlist', id: 'PL2', view_count: null, duration: null },
        ],
        pagination: { continuation: 'tok', has_more: true },
      },
    });
  });

  it('ends in all three ways', () => {
    const ends = [
      continuationData([{ itemSectionRenderer: { contents: [{ messageRenderer: {} }] } }], 'Commands'),
      { responseContext: {}, estimatedResults: '0' },
      searchData([{ backgroundPromoRenderer: { title: { simpleText: 'No results found' } } }], undefined),
    ];
    for (const end of ends) {
      expect(extractSearch([response(end)], {})).toEqual({
        outcome: 'ok',
        data: { results: [], pagination: { continuation: null, has_more: false } },
      });
    }
  });

  it('does not mistake a response without results for an empty first page', () => {
    expect(extractSearch([response({ responseContext: {} })], { query: 'x' })).toMatchObject({
      outcome: 'unrecognised',
    });
  });
});

describe('video', () => {
  const watch: FakeWatch = {
    ...video,
    views: 3_000_000_000,
    channel: 'Span & Load',
    channelId: CHANNEL,
    description: 'Wind };</script> steel.',
    seconds: 576,
    likes: 3895,
    comments: '2.4K',
    published: '2026-05-04T07:00:05-07:00',
    tags: ['bridge'],
    category: 'Education',
  };
  const data = {
    id: watch.id,
    title: watch.title,
    description: watch.description,
    channel: { id: CHANNEL, name: 'Span & Load', url: `https://www.youtube.com/channel/${CHANNEL}` },
    metrics: { view_count: 3_000_000_000, like_count: 3895, comment_count: 2400 },
    published_at: watch.published,
    duration: '9:36',
    thumbnail: thumbnailOf(watch.id),
    tags: ['bridge'],
    category: 'Education',
  };

  it('reads a page, and two calls in any order', () => {
    const html = scriptPage({ ytInitialPlayerResponse: playerData(watch), ytInitialData: watchData(watch) });
    expect(extractVideo([response(html)], {})).toEqual({ outcome: 'ok', data });
    const calls = [response(watchData(watch)), response(playerData(watch))];
    expect(extractVideo(calls, {})).toEqual({ outcome: 'ok', data });
    expect(extractVideo(calls.toReversed(), {})).toEqual({ outcome: 'ok', data });
  });

  it('reads likes from the button when the microformat has none, and null when they are disabled', () => {
    const player = JSON.parse(JSON.stringify(playerData(watch)).replace('"likeCount":"3895",', '')) as {
      videoDetails: { allowRatings: boolean };
    };
    expect(extractVideo([response(player), response(watchData(watch))], {})).toMatchObject({
      data: { metrics: { like_count: 3895 } },
    });
    player.videoDetails.allowRatings = false;
    expect(extractVideo([response(player), response(watchData(watch))], {})).toMatchObject({
      data: { metrics: { like_count: null } },
    });
  });

  it('returns metadata of a video that can’t be played', () => {
    const gated = playerData(watch, { status: 'LOGIN_REQUIRED', reason: 'Sign in to confirm your age' });
    expect(extractVideo([response(gated)], {})).toMatchObject({
      outcome: 'ok',
      data: { id: watch.id, metrics: { comment_count: null } },
    });
  });

  it('treats a substituted video as absent', () => {
    expect(extractVideo([response(playerData(watch))], { video_id: 'xxxxxxxxxxx' })).toMatchObject({
      outcome: 'not_found',
    });
  });

  it.each([
    ['private', 'LOGIN_REQUIRED', 'This is a private video.'],
    ['blocked', 'LOGIN_REQUIRED', 'Sign in to confirm you’re not a bot'],
    ['not_found', 'ERROR', 'Video unavailable'],
    ['rate_limited', 'UNPLAYABLE', 'This content isn’t available, try again later.'],
    ['private', 'UNPLAYABLE', 'Join this channel to get access to members-only content'],
    ['unrecognised', 'BRAND_NEW', 'Something else'],
  ])('reports %s by status %s and “%s”', (outcome, status, reason) => {
    expect(extractVideo([response(refusedPlayer(status, reason))], {}).outcome).toBe(outcome);
  });

  it('reads the reason of a private video from its messages too', () => {
    const player = refusedPlayer('LOGIN_REQUIRED', '', {
      messages: ['This is a private video. Please sign in'],
    });
    expect(extractVideo([response(player)], {}).outcome).toBe('private');
  });
});
