import { describe, expect, it } from 'vitest';
import { response } from '../fixtures/page.ts';
import {
  connection,
  edgeNode,
  embedPage,
  errorPage,
  gatedAnswer,
  guestNode,
  mediaNode,
  metaOnlyPage,
  post,
  reducedReel,
  relayPage,
  USER_ID,
  webUser,
} from '../fixtures/photoapp.ts';
import { htmlPage } from '../fixtures/page.ts';
import { extractPosts } from './posts.ts';
import { extractProfile } from './profile.ts';
import { extractReels } from './reels.ts';

const info = { has_next_page: true, end_cursor: 'QVFDx==' };
const [first, second] = [post(1), post(3)];

function expectedPost(fake: ReturnType<typeof post>): object {
  return {
    id: fake.pk,
    shortcode: fake.code,
    display_url: `https://cdn.example/${fake.code}.jpg`,
    is_video: fake.isVideo,
    likes: fake.likes,
    comments: fake.comments,
    timestamp: fake.takenAt,
    caption: fake.caption,
  };
}

describe('profile', () => {
  const user = webUser([first, second].map(edgeNode), info);
  const identity = {
    username: 'harbour.bakery',
    full_name: 'Harbour Bakery',
    id: USER_ID,
    biography: 'Sourdough since 1987\nOpen 6 to 14',
    profile_pic_url: 'https://cdn.example/harbour-150.jpg',
    profile_pic_url_hd: 'https://cdn.example/harbour-320.jpg',
    external_url: 'https://harbour-bakery.example/',
    bio_links: [{ title: 'Shop', url: 'https://harbour-bakery.example/', link_type: 'external' }],
  };

  it.each([
    ['web_profile_info', { data: { user }, status: 'ok' }],
    ['a=1', { graphql: { user } }],
    [
      'sharedData',
      htmlPage({
        body: `<script>window._sharedData = ${JSON.stringify({ entry_data: { ProfilePage: [{ graphql: { user } }] } })};</script>`,
      }),
    ],
    [
      'additionalData',
      htmlPage({
        body: `<script>window._sharedData = {"entry_data":{"ProfilePage":[{}]}};</script><script>window.__additionalDataLoaded('/harbour.bakery/',${JSON.stringify({ graphql: { user } })});</script>`,
      }),
    ],
    ['with a guard', `for (;;);${JSON.stringify({ data: { user } })}`],
  ])('reads the edge names: %s', (_name, body) => {
    expect(extractProfile([response(body)], {})).toEqual({
      outcome: 'ok',
      data: {
        identity,
        metrics: { followers: 18250, following: 311, posts: 642 },
        account_type: {
          is_verified: false,
          is_private: false,
          is_business_account: true,
          is_professional_account: true,
        },
        business_info: { category_name: 'Bakery', email: 'hello@harbour-bakery.example', phone_number: null },
        content: {
          has_clips: true,
          highlight_reel_count: 4,
          recent_posts: [first, second].map(expectedPost),
        },
        pagination: { end_cursor: 'QVFDx==' },
      },
    });
  });

  it('joins the two records of the logged-out page and counts posts from its meta elements', () => {
    const outcome = extractProfile([response(relayPage([first, second].map(guestNode), info))], {});
    expect(outcome).toMatchObject({
      outcome: 'ok',
      data: {
        identity: {
          id: USER_ID,
          biography: 'Sourdough since 1987',
          profile_pic_url_hd: null,
          external_url: 'https://harbour-bakery.example/',
        },
        metrics: { followers: 18250, following: 311, posts: 642 },
        account_type: { is_verified: false, is_business_account: null },
        content: {
          highlight_reel_count: 2,
          recent_posts: [{ id: first.pk, likes: null, comments: null }, { is_video: true }],
        },
        pagination: { end_cursor: 'QVFDx==' },
      },
    });
  });

  it('expands the rounded counts of a page that has only meta elements', () => {
    expect(extractProfile([response(metaOnlyPage())], {})).toMatchObject({
      data: {
        identity: {
          username: 'harbour.bakery',
          full_name: 'Harbour Bakery',
          id: USER_ID,
          biography: 'Sourdough since 1987',
        },
        metrics: { followers: 15_600_000, following: 1311, posts: 642 },
        account_type: { is_verified: null },
        content: { recent_posts: [] },
      },
    });
  });

  it('reads exact counts in another language, and leaves scaled ones unknown', () => {
    const page = (description: string): string =>
      htmlPage({
        metas: { 'og:title': 'Bäckerei (@harbour.bakery) • Instagram', 'og:description': description },
      });
    const metrics = (description: string): unknown => {
      const outcome = extractProfile([response(page(description))], {});
      return outcome.outcome === 'ok' ? outcome.data['metrics'] : outcome.outcome;
    };
    expect(metrics('팔로워 1,234명, 팔로잉 136명, 게시물 224개 - @harbour.bakery')).toEqual({
      followers: 1234,
      following: 136,
      posts: 224,
    });
    expect(metrics('2.362 Follower, 136 gefolgt, 1.224 Beiträge – Sieh dir …')).toEqual({
      followers: 2362,
      following: 136,
      posts: 1224,
    });
    expect(metrics('팔로워 5만명, 팔로잉 136명, 게시물 224개 - @x')).toEqual({
      followers: null,
      following: 136,
      posts: 224,
    });
    expect(metrics('12 likes, 3 comments - harbour.bakery on May 1, 2026')).toBe('unrecognised');
  });

  it('reads the embed’s JSON in a JSON string', () => {
    expect(extractProfile([response(embedPage([edgeNode(first)]))], {})).toMatchObject({
      data: {
        identity: { username: 'harbour.bakery', id: USER_ID },
        metrics: { followers: 18250, posts: 642 },
        content: { recent_posts: [expectedPost(first)] },
      },
    });
  });

  it('keeps ids beyond 2^53 exact', () => {
    const body = `{"user":{"pk":17841400373013723123,"username":"a","follower_count":1,"media_count":2}}`;
    expect(extractProfile([response(body)], {})).toMatchObject({
      data: { identity: { id: '17841400373013723123' } },
    });
  });

  it('returns a private profile with its counts and without posts', () => {
    const body = { data: { user: { ...user, is_private: true } } };
    expect(extractProfile([response(body)], {})).toMatchObject({
      data: {
        account_type: { is_private: true },
        metrics: { followers: 18250 },
        content: { recent_posts: [] },
      },
    });
  });

  it.each([
    ['not_found', response({ data: { user: null }, status: 'ok' })],
    ['not_found', response({ data: { xig_user_by_username: null } })],
    ['not_found', response(errorPage())],
    ['not_found', response('<html><title>Page not found</title></html>', { status: 404 })],
    ['blocked', response(gatedAnswer, { status: 401 })],
    ['blocked', response({ message: 'checkpoint_required', status: 'fail' }, { status: 400 })],
    [
      'blocked',
      response('<html></html>', {
        url: 'https://www.instagram.com/x/',
        finalUrl: 'https://www.instagram.com/accounts/login/?next=/x/',
      }),
    ],
    ['rate_limited', response('<html></html>', { status: 429 })],
    ['rate_limited', response({ errors: [{ code: 1675004, message: 'Rate limit exceeded' }] })],
    ['unrecognised', response({ errors: [{ message: 'The document was not found' }] })],
    ['unrecognised', response({ data: { brand_new_user: { name: 'x' } } })],
  ])('reports %s', (outcome, answer) => {
    expect(extractProfile([answer], {}).outcome).toBe(outcome);
  });
});

describe('posts', () => {
  it.each([
    [
      'timeline',
      {
        data: {
          xdt_api__v1__feed__user_timeline_graphql_connection: connection(
            [first, second].map(mediaNode),
            info,
          ),
        },
      },
      'QVFDx==',
    ],
    [
      'feed',
      { items: [first, second].map(mediaNode), more_available: true, next_max_id: '3_4', num_results: 2 },
      '3_4',
    ],
    [
      'edges',
      {
        data: {
          user: {
            edge_owner_to_timeline_media: { count: 2, ...connection([first, second].map(edgeNode), info) },
          },
        },
      },
      'QVFDx==',
    ],
  ])('reads the %s names', (_name, body, cursor) => {
    expect(extractPosts([response(body)], {})).toEqual({
      outcome: 'ok',
      data: {
        user_id: USER_ID,
        posts: [first, second].map(expectedPost),
        pagination: { has_next_page: true, end_cursor: cursor },
      },
    });
  });

  it('reads the nodes of before 2018', () => {
    const node = {
      id: '1',
      code: 'abc',
      display_src: 'https://cdn.example/a.jpg',
      is_video: false,
      likes: { count: 5 },
      comments: { count: 2 },
      date: 1500000000,
      caption: 'Rye',
      owner: { id: USER_ID },
    };
    const body = {
      user: {
        username: 'a',
        id: USER_ID,
        followed_by: { count: 1 },
        follows: { count: 1 },
        media: { count: 1, nodes: [node], page_info: { has_next_page: false, end_cursor: null } },
      },
    };
    expect(extractPosts([response(body)], {})).toMatchObject({
      data: {
        posts: [{ id: '1', shortcode: 'abc', likes: 5, comments: 2, timestamp: 1500000000, caption: 'Rye' }],
      },
    });
  });

  it('treats hidden and negative counts as absent', () => {
    const hidden = { ...mediaNode(first), like_and_view_counts_disabled: true };
    const negative = { ...mediaNode(second), like_count: -1 };
    expect(extractPosts([response({ items: [hidden, negative], more_available: false })], {})).toMatchObject({
      data: { posts: [{ likes: null }, { likes: null }] },
    });
  });

  it('distinguishes private, withheld and missing lists', () => {
    const user = (more: object): object => ({
      data: { user: webUser([], { has_next_page: false, end_cursor: '' }, more) },
    });
    expect(extractPosts([response(user({ is_private: true }))], {}).outcome).toBe('private');
    expect(extractPosts([response(user({}))], {})).toMatchObject({
      outcome: 'blocked',
      evidence: expect.stringContaining('642'),
    });
    expect(
      extractPosts(
        [
          response(
            user({
              edge_owner_to_timeline_media: { count: 0, edges: [], page_info: { has_next_page: false } },
            }),
          ),
        ],
        {},
      ),
    ).toMatchObject({
      outcome: 'ok',
      data: { posts: [], pagination: { has_next_page: false, end_cursor: null } },
    });
    expect(extractPosts([response(metaOnlyPage())], {}).outcome).toBe('unrecognised');
  });
});

describe('reels', () => {
  const reel = post(3);
  const expectedReel = {
    id: reel.pk,
    shortcode: reel.code,
    display_url: `https://cdn.example/${reel.code}.jpg`,
    video_url: `https://cdn.example/${reel.code}.mp4`,
    likes: reel.likes,
    comments: reel.comments,
    plays: reel.plays,
    timestamp: reel.takenAt,
    caption: reel.caption,
  };

  it.each([
    [
      'clips/user',
      { items: [{ media: mediaNode(reel) }], paging_info: { max_id: 'QVFC', more_available: true } },
    ],
    [
      'clips GraphQL',
      {
        data: {
          xdt_api__v1__clips__user__connection_v2: {
            edges: [{ node: { media: mediaNode(reel) } }],
            page_info: { has_next_page: true, end_cursor: 'QVFC' },
          },
        },
      },
    ],
    [
      'clips GraphQL of August 2026',
      {
        data: {
          fetch__XDTUserDict: {
            clips_connection: {
              edges: [{ node: { media: mediaNode(reel) } }],
              page_info: { has_next_page: true, end_cursor: 'QVFC' },
            },
          },
        },
      },
    ],
  ])('reads %s, with the largest file', (_name, body) => {
    expect(extractReels([response(body)], {})).toEqual({
      outcome: 'ok',
      data: {
        user_id: USER_ID,
        reels: [expectedReel],
        pagination: { has_next_page: true, continuation: 'QVFC' },
      },
    });
  });

  it('fills the reduced list from the timeline', () => {
    const clips = {
      data: {
        fetch__XDTUserDict: {
          clips_connection: {
            edges: [{ node: { media: reducedReel(reel) } }],
            page_info: { has_next_page: false, end_cursor: null },
          },
        },
      },
    };
    const timeline = {
      data: {
        xdt_api__v1__feed__user_timeline_graphql_connection: connection([post(1), reel].map(mediaNode), info),
      },
    };
    expect(extractReels([response(clips), response(timeline)], {})).toMatchObject({
      data: { user_id: USER_ID, reels: [expectedReel], pagination: { has_next_page: false } },
    });
  });

  it('falls back on the videos of the timeline', () => {
    const timeline = {
      data: {
        xdt_api__v1__feed__user_timeline_graphql_connection: connection([post(1), reel].map(mediaNode), info),
      },
    };
    expect(extractReels([response(timeline)], {})).toMatchObject({ data: { reels: [{ id: reel.pk }] } });
  });
});
