import { type ApiId, PREBUILT_APIS } from '@gleaner/contracts';
import { MAX_STEPS, siteError, type SitesConfig } from '@gleaner/extractors/sites';
import { defaultSitesConfig, readSitesConfig } from '@gleaner/extractors/sites/config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from './ask.ts';
import * as photoapp from './photoapp.ts';
import * as pronet from './pronet.ts';
import * as realty from './realty.ts';
import * as shortvideo from './shortvideo.ts';
import { type SitesFake, startSitesFake } from './start-sites-fake.ts';
import * as videosite from './videosite.ts';

let fake: SitesFake;
let config: SitesConfig;

beforeAll(async () => {
  fake = await startSitesFake();
  config = readSitesConfig(fake.env);
});

afterAll(() => fake.close());

type Data = Record<string, unknown>;

interface Page {
  items: Data[];
  pagination: Data;
  data: Data;
}

async function dataOf(id: ApiId, input: Data): Promise<Data> {
  const { outcome, requests } = await ask(id, input, config);
  if (outcome.outcome !== 'ok') throw new Error(`${id}: ${outcome.outcome}: ${outcome.evidence}`);
  expect(requests.length).toBeLessThanOrEqual(MAX_STEPS);
  const origin = config.origins[PREBUILT_APIS[id].site];
  for (const { url } of requests) expect(new URL(url).origin).toBe(origin);
  const parsed = PREBUILT_APIS[id].output.strict().parse(outcome.data);
  expect(parsed).toEqual(outcome.data);
  return outcome.data;
}

async function pageOf(id: ApiId, list: string, input: Data): Promise<Page> {
  const data = await dataOf(id, input);
  return { data, items: data[list] as Data[], pagination: data['pagination'] as Data };
}

/** Follows the pagination to its end. */
async function pagesOf(
  id: ApiId,
  list: string,
  first: Data,
  next: (page: Page) => Data | undefined,
): Promise<Data[]> {
  const items: Data[] = [];
  let input: Data | undefined = first;
  for (let pages = 0; input !== undefined && pages < 20; pages += 1) {
    const page = await pageOf(id, list, input);
    items.push(...page.items);
    input = next(page);
  }
  return items;
}

function idsOf(items: Data[]): unknown[] {
  return items.map((item) => item['id']);
}

async function outcomeOf(id: ApiId, input: Data): Promise<string> {
  return (await ask(id, input, config)).outcome.outcome;
}

describe('video-sharing site', () => {
  it('pages a channel of several pages to its end, every video once', async () => {
    const videos = await pagesOf(
      'videosite-channel-videos',
      'videos',
      { channel_id: videosite.CHANNEL },
      ({ data, pagination }) => {
        expect(data['channel_id']).toBe(videosite.CHANNEL);
        return pagination['has_more'] === true ? { continuation: pagination['continuation'] } : undefined;
      },
    );
    expect(idsOf(videos)).toEqual(videosite.VIDEOS.map(({ id }) => id));
    expect(videos.map((video) => video['view_count'])).toEqual(videosite.VIDEOS.map(({ views }) => views));
    expect(videos.map((video) => video['published_at'])).toEqual(videosite.VIDEOS.map(({ age }) => age));
  });

  it('pages shorts and search results to their ends', async () => {
    const next = ({ pagination }: Page): Data | undefined =>
      pagination['has_more'] === true ? { continuation: pagination['continuation'] } : undefined;
    const shorts = await pagesOf(
      'videosite-channel-shorts',
      'shorts',
      { channel_id: videosite.CHANNEL },
      next,
    );
    expect(idsOf(shorts)).toEqual(videosite.SHORTS.map(({ id }) => id));
    const results = await pagesOf('videosite-search', 'results', { query: 'bridge' }, next);
    expect(idsOf(results)).toEqual(videosite.VIDEOS.map(({ id }) => id));
    expect((await pageOf('videosite-search', 'results', { query: 'nothing at all' })).items).toEqual([]);
  });

  it('follows a moved channel and goes around gates and refused calls', async () => {
    expect(
      (await dataOf('videosite-channel-videos', { channel_id: videosite.MOVED_CHANNEL }))['channel_id'],
    ).toBe(videosite.CHANNEL);
    expect(
      (await pageOf('videosite-channel-videos', 'videos', { channel_id: videosite.GATED_CHANNEL })).items,
    ).toHaveLength(30);
    expect(
      (await pageOf('videosite-channel-shorts', 'shorts', { channel_id: videosite.PAGE_ONLY_CHANNEL })).items,
    ).toHaveLength(48);
    expect((await pageOf('videosite-search', 'results', { query: 'calls refused' })).items).toHaveLength(20);
  });

  it('reads a video from every form of its address, behind the consent wall', async () => {
    const [video] = videosite.VIDEOS;
    const id = video?.id ?? '';
    const forms: Data[] = [
      { video_id: id },
      { url: `https://www.youtube.com/watch?v=${id}&t=3` },
      { url: `https://youtu.be/${id}?si=x` },
      { url: `https://m.youtube.com/shorts/${id}` },
      { url: `https://www.youtube.com/live/${id}` },
      { url: `https://www.youtube-nocookie.com/embed/${id}` },
      { url: `youtube.com/v/${id}` },
      { url: `${config.origins.videosite}/watch?v=${id}` },
    ];
    for (const form of forms) {
      expect(await dataOf('videosite-video', form), JSON.stringify(form)).toMatchObject({
        id,
        metrics: { like_count: 1804, comment_count: 212 },
      });
    }
  });

  it('asks for the calls when the page wants a sign-in', async () => {
    const { outcome, requests } = await ask(
      'videosite-video',
      { video_id: videosite.BOT_CHECKED_VIDEO },
      config,
    );
    expect(outcome).toMatchObject({
      outcome: 'ok',
      data: { id: videosite.BOT_CHECKED_VIDEO, metrics: { comment_count: 212 } },
    });
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([
      '/watch',
      '/youtubei/v1/player',
      '/youtubei/v1/next',
    ]);
  });

  it.each([
    ['not_found', 'videosite-channel-videos', { channel_id: videosite.MISSING_CHANNEL }],
    ['rate_limited', 'videosite-channel-videos', { channel_id: videosite.LIMITED_CHANNEL }],
    ['invalid_input', 'videosite-channel-videos', { continuation: 'damaged!' }],
    ['invalid_input', 'videosite-channel-shorts', { continuation: 'damaged!' }],
    ['invalid_input', 'videosite-search', { continuation: 'damaged!' }],
    ['private', 'videosite-video', { video_id: videosite.PRIVATE_VIDEO }],
    ['not_found', 'videosite-video', { video_id: videosite.MISSING_VIDEO }],
  ] as const)('reports %s of %s %j', async (outcome, id, input) => {
    expect(await outcomeOf(id, input)).toBe(outcome);
  });
});

describe('a token that the site refuses', () => {
  it('is reported as the fault of its field', async () => {
    const { outcome } = await ask('videosite-search', { continuation: 'damaged!' }, config);
    expect(siteError(outcome)).toMatchObject({
      code: 'invalid_request',
      options: { field: 'continuation', detail: expect.stringContaining('bad token') },
    });
  });
});

describe('photo-sharing network', () => {
  it('reads a profile from whatever answers', async () => {
    for (const username of [photoapp.USER, `@${photoapp.USER}`, photoapp.WALLED_USER]) {
      const data = await dataOf('photoapp-profile', { username });
      expect(data, username).toMatchObject({
        metrics: { followers: 18250, posts: 642 },
        content: { recent_posts: { length: 12 } },
      });
    }
    expect(await dataOf('photoapp-profile', { username: photoapp.META_USER })).toMatchObject({
      metrics: { followers: 18250, following: 1311 },
      content: { recent_posts: { length: 6 } },
    });
    expect(await dataOf('photoapp-profile', { username: photoapp.PRIVATE_USER })).toMatchObject({
      account_type: { is_private: true },
    });
  });

  it('pages posts to their end', async () => {
    const posts = await pagesOf(
      'photoapp-posts',
      'posts',
      { username: photoapp.USER, first: 20 },
      ({ data, items, pagination }) => {
        expect(items.length).toBeLessThanOrEqual(20);
        return pagination['has_next_page'] === true
          ? { user_id: data['user_id'], cursor: pagination['end_cursor'], first: 20 }
          : undefined;
      },
    );
    expect(idsOf(posts)).toEqual(photoapp.POSTS.map(({ pk }) => pk));
    expect(posts.map((post) => [post['likes'], post['comments'], post['timestamp']])).toEqual(
      photoapp.POSTS.map(({ likes, comments, takenAt }) => [likes, comments, takenAt]),
    );
  });

  it.each([1, 12, 33, 40, 50])('gives as many posts as asked for: %i', async (first) => {
    const { items, pagination } = await pageOf('photoapp-posts', 'posts', { username: photoapp.USER, first });
    expect(items).toHaveLength(Math.min(first, 45));
    expect(pagination['has_next_page']).toBe(first < 45);
  });

  it('falls back on what guests see, without counts', async () => {
    const { items } = await pageOf('photoapp-posts', 'posts', { username: photoapp.GUEST_USER, first: 24 });
    expect(items).toHaveLength(24);
    expect(items[0]).toMatchObject({ likes: null, caption: 'Loaf 1' });
  });

  it.each([1, 12, 15, 50])(
    'gives as many reels as asked for, with the texts of the timeline: %i',
    async (pageSize) => {
      const { data, items, pagination } = await pageOf('photoapp-reels', 'reels', {
        username: photoapp.USER,
        page_size: pageSize,
      });
      expect(data['user_id']).toBe('4100200300');
      expect(items).toHaveLength(Math.min(pageSize, 15));
      expect(items[0]).toMatchObject({
        plays: 1003,
        caption: 'Loaf 3',
        video_url: expect.stringContaining('.mp4'),
      });
      expect(pagination['has_next_page']).toBe(pageSize < 15);
    },
  );

  it('goes on from the cursor of a profile and of guests, every post once', async () => {
    const { pagination, identity } = await dataOf('photoapp-profile', { username: photoapp.USER });
    const { end_cursor: cursor } = pagination as Data;
    const { items } = await pageOf('photoapp-posts', 'posts', {
      user_id: (identity as Data)['id'],
      cursor,
    });
    expect(idsOf(items)).toEqual(photoapp.POSTS.slice(12, 24).map(({ pk }) => pk));
    const posts = await pagesOf(
      'photoapp-posts',
      'posts',
      { username: photoapp.GUEST_USER },
      ({ data, pagination: { has_next_page: hasNext, end_cursor: next } }) =>
        hasNext === true ? { user_id: data['user_id'], cursor: next } : undefined,
    );
    expect(idsOf(posts)).toEqual(photoapp.POSTS.map(({ pk }) => pk));
  });

  it('uses no name of a token that belongs to another user, and survives a forged one', async () => {
    const { pagination } = await pageOf('photoapp-posts', 'posts', { username: photoapp.USER });
    const cursor = pagination['end_cursor'];
    const { requests } = await ask('photoapp-posts', { user_id: '77', cursor }, config);
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(['/api/v1/feed/user/77/']);
    const forge = (fields: unknown): string =>
      `gl1.${Buffer.from(JSON.stringify(fields)).toString('base64url')}`;
    const tokens = [
      'gl1.',
      'gl1.%%%',
      forge(null),
      forge({ c: '__proto__', n: 'x', i: '4100200300' }),
      forge({ c: 'timeline', n: '1_2', i: '4100200300', u: '../evil', l: '../1' }),
      forge({ c: 'timeline', n: '1_2', i: '4100200300', u: '..' }),
      forge({ c: 'timeline', n: { a: 1 }, i: '4100200300', u: 'x' }),
    ];
    for (const token of tokens) {
      const posts = await ask('photoapp-posts', { user_id: '4100200300', cursor: token }, config);
      const reels = await ask('photoapp-reels', { user_id: '4100200300', continuation: token }, config);
      for (const { outcome, requests: sent } of [posts, reels]) {
        expect(outcome.outcome, token).not.toBe('ok');
        expect(sent.map(({ url, body = '' }) => url + decodeURIComponent(body)).join(' ')).not.toContain(
          '"username"',
        );
      }
    }
    expect(
      await outcomeOf('photoapp-posts', {
        user_id: '4100200300',
        cursor: forge({ c: 'clips_rest', n: 'x', i: '4100200300' }),
      }),
    ).toBe('invalid_input');
  });

  it('pages reels to their end', async () => {
    const reels = await pagesOf(
      'photoapp-reels',
      'reels',
      { username: photoapp.USER, page_size: 6 },
      ({ data, pagination }) =>
        pagination['has_next_page'] === true
          ? { user_id: data['user_id'], continuation: pagination['continuation'], page_size: 6 }
          : undefined,
    );
    expect(idsOf(reels)).toEqual(photoapp.REELS.map(({ pk }) => pk));
    expect(reels.map((reel) => reel['caption'])).toEqual(photoapp.REELS.map(({ caption }) => caption));
  });

  it.each([
    ['not_found', 'photoapp-profile', { username: 'nobody.here' }],
    ['blocked', 'photoapp-profile', { username: photoapp.BLOCKED_USER }],
    ['rate_limited', 'photoapp-profile', { username: photoapp.LIMITED_USER }],
    ['private', 'photoapp-posts', { username: photoapp.PRIVATE_USER }],
    ['private', 'photoapp-reels', { username: photoapp.PRIVATE_USER }],
    ['not_found', 'photoapp-posts', { username: 'nobody.here' }],
    ['not_found', 'photoapp-reels', { username: 'nobody.here' }],
  ] as const)('reports %s of %s %j', async (outcome, id, input) => {
    expect(await outcomeOf(id, input)).toBe(outcome);
  });
});

describe('short-video network', () => {
  it('reads a profile, in a browser when a plain fetch is challenged', async () => {
    expect(await dataOf('shortvideo-profile', { username: `@${shortvideo.USER}` })).toMatchObject({
      stats: { follower_count: 38490 },
    });
    const { outcome, requests } = await ask(
      'shortvideo-profile',
      { username: shortvideo.CHALLENGED_USER },
      config,
    );
    expect(outcome.outcome).toBe('ok');
    expect(requests.map(({ mode }) => mode)).toEqual(['http', 'browser']);
  });

  it.each([
    `https://www.tiktok.com/@harbourbakery/video/${shortvideo.VIDEO_ID}?is_from_webapp=1`,
    `https://www.tiktok.com/@harbourbakery/photo/${shortvideo.VIDEO_ID}`,
    `https://m.tiktok.com/v/${shortvideo.VIDEO_ID}.html`,
    `https://www.tiktok.com/embed/v2/${shortvideo.VIDEO_ID}`,
    `https://www.tiktok.com/share/video/${shortvideo.VIDEO_ID}/`,
    `https://vm.tiktok.com/${shortvideo.SHORT_CODE}/`,
    `https://www.tiktok.com/t/${shortvideo.SHORT_CODE}/`,
  ])('reads a video from %s', async (url) => {
    expect(await dataOf('shortvideo-video', { url })).toMatchObject({
      id: shortvideo.VIDEO_ID,
      stats: { play_count: 29018 },
    });
  });

  it.each([
    ['not_found', 'shortvideo-profile', { username: 'nobody' }],
    ['private', 'shortvideo-profile', { username: shortvideo.HIDDEN_USER }],
    ['blocked', 'shortvideo-profile', { username: shortvideo.BLOCKED_USER }],
    ['not_found', 'shortvideo-video', { url: 'https://www.tiktok.com/@x/video/7000000000000000404' }],
    [
      'private',
      'shortvideo-video',
      { url: `https://www.tiktok.com/@x/video/${shortvideo.PRIVATE_VIDEO_ID}` },
    ],
    ['ok', 'shortvideo-video', { url: `https://www.tiktok.com/@x/video/${shortvideo.CHALLENGED_VIDEO_ID}` }],
  ] as const)('reports %s of %s %j', async (outcome, id, input) => {
    expect(await outcomeOf(id, input)).toBe(outcome);
  });
});

describe('real-estate site', () => {
  it('pages a search to its end, following next_url unchanged', async () => {
    const listings = await pagesOf(
      'realty-search',
      'listings',
      { query: realty.QUERY },
      ({ data, pagination }) => {
        expect(data['total_results']).toBe(90);
        return pagination['has_more'] === true ? { next_url: pagination['next_url'] } : undefined;
      },
    );
    expect(listings).toHaveLength(90);
    expect(new Set(listings.map((listing) => listing['detail_url'])).size).toBe(90);
  });

  it('answers one home for an address, and nothing for a place without homes', async () => {
    expect(await dataOf('realty-search', { query: realty.ADDRESS_QUERY })).toMatchObject({
      total_results: 1,
      listings: [{ zpid: '10000001' }],
    });
    expect(await dataOf('realty-search', { query: realty.EMPTY_QUERY })).toMatchObject({
      total_results: 0,
      listings: [],
    });
  });

  it('reads the listings that a search names', async () => {
    const { items } = await pageOf('realty-search', 'listings', { query: realty.QUERY });
    expect(await dataOf('realty-details', { url: items[0]?.['detail_url'] })).toMatchObject({
      zpid: '10000001',
      price_history: { length: 2 },
    });
    expect(await dataOf('realty-details', { url: items[1]?.['detail_url'] })).toMatchObject({
      zpid: null,
      address: { street: '5 Oak Ct' },
    });
  });

  it('tries a browser where a plain fetch is blocked', async () => {
    const { outcome, requests } = await ask('realty-search', { query: realty.CHALLENGED_QUERY }, config);
    expect(outcome.outcome).toBe('ok');
    expect(requests.map(({ mode }) => mode)).toEqual(['http', 'browser']);
    expect(await outcomeOf('realty-search', { query: realty.BLOCKED_QUERY })).toBe('blocked');
  });

  it('reports an absent listing', async () => {
    expect(await outcomeOf('realty-details', { url: 'https://www.zillow.com/homedetails/1_zpid/' })).toBe(
      'not_found',
    );
  });
});

describe('professional network', () => {
  it.each([
    { url: `https://www.linkedin.com${pronet.POST_PATH}?utm_source=share` },
    { url: `https://fr.linkedin.com${pronet.POST_PATH}` },
    { url: `https://www.linkedin.com/feed/update/urn:li:activity:${pronet.POST_ID}/` },
    { url: pronet.POST_ID },
    { slug: pronet.POST_ID },
    { slug: pronet.ARTICLE_SLUG },
    { url: `https://www.linkedin.com/pulse/${pronet.ARTICLE_SLUG}` },
    { url: `https://www.linkedin.com${pronet.VIDEO_PATH}` },
  ])('reads %j', async (input) => {
    expect(await dataOf('pronet-post', input)).toMatchObject({
      author: { name: 'Ana Example' },
      text: expect.stringMatching(/./),
    });
  });

  it.each([
    ['not_found', { url: 'https://www.linkedin.com/posts/x_gone-activity-7400000000000000009-aaaa' }],
    ['blocked', { url: `https://www.linkedin.com${pronet.BLOCKED_PATH}` }],
  ] as const)('reports %s of %j', async (outcome, input) => {
    expect(await outcomeOf('pronet-post', input)).toBe(outcome);
  });
});

describe('addresses of other hosts', () => {
  const foreign = [
    'http://127.0.0.1:9/watch?v=aaaaaaaaaaa',
    'http://169.254.169.254/homedetails/1_zpid/',
    'https://evil.example/@x/video/7000000000000000002',
    'https://www.youtube.com.evil.example/watch?v=aaaaaaaaaaa',
    'https://www.youtube.com@evil.example/watch?v=aaaaaaaaaaa',
    'https://www.zillow.com:8080/homedetails/1_zpid/',
    '//evil.example/homedetails/1_zpid/',
    'file:///homedetails/1_zpid/',
    'javascript:alert(1)',
    'https://[::1]/posts/x-activity-7400000000000000000-aaaa',
  ];
  it.each(foreign)('%s is refused before anything is fetched', async (url) => {
    const before = fake.requests.length;
    const inputs: [ApiId, Data][] = [
      ['videosite-video', { url }],
      ['shortvideo-video', { url }],
      ['realty-search', { next_url: url }],
      ['realty-details', { url }],
      ['pronet-post', { url }],
    ];
    for (const [id, input] of inputs) {
      await expect(ask(id, input, config), id).rejects.toMatchObject({
        code: 'invalid_request',
        options: { field: Object.keys(input)[0] },
      });
    }
    expect(fake.requests).toHaveLength(before);
  });

  it('the fake’s own origin is refused where it is not configured', async () => {
    await expect(
      ask(
        'realty-details',
        { url: `${config.origins.realty}/homedetails/10000001_zpid/` },
        defaultSitesConfig,
      ),
    ).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
