import { describe, expect, it } from 'vitest';
import { response } from '../fixtures/page.ts';
import {
  captchaPage,
  challengePage,
  emptyShell,
  nextPage,
  profileScope,
  shortItem,
  shortUser,
  statePage,
  universalPage,
  userStats,
  videoScope,
} from '../fixtures/shortvideo.ts';
import { extractProfile } from './profile.ts';
import { extractVideo } from './video.ts';

const identity = {
  user_id: '7000000000000000001',
  unique_id: 'harbourbakery',
  nickname: 'Harbour Bakery',
  bio: 'Sourdough\nsince 1987',
  verified: false,
  avatar_large: 'https://cdn.example/avatar.jpeg',
  bio_link: 'harbour-bakery.example',
  profile_url: 'https://www.tiktok.com/@harbourbakery',
};

describe('profile', () => {
  it('prefers exact counters to rounded ones', () => {
    expect(extractProfile([response(universalPage(profileScope(shortUser())))], {})).toEqual({
      outcome: 'ok',
      data: {
        identity,
        stats: { follower_count: 38490, following_count: 24, heart_count: 593024, video_count: 127 },
        privacy: { private_account: false, comment_setting: 0 },
        commerce: { commerce_user: true, tt_seller: false },
      },
    });
  });

  it.each([
    [
      'SIGI_STATE',
      statePage({
        UserPage: { uniqueId: 'harbourbakery', statusCode: 0 },
        UserModule: {
          users: { other: shortUser('other'), harbourbakery: shortUser() },
          stats: { harbourbakery: userStats },
        },
      }),
    ],
    ['__NEXT_DATA__', nextPage({ userInfo: { user: shortUser(), stats: userStats } })],
    ['the bare detail', { userInfo: { user: shortUser(), stats: userStats }, statusCode: 0 }],
  ])('reads %s', (_name, body) => {
    expect(extractProfile([response(body)], {})).toMatchObject({
      data: { identity, stats: { follower_count: 38500, heart_count: 593000 } },
    });
  });

  it('returns null for an overflowed counter', () => {
    const detail = {
      userInfo: { user: shortUser(), stats: { ...userStats, heartCount: -977433948, heart: -977433948 } },
    };
    expect(extractProfile([response(detail)], {})).toMatchObject({ data: { stats: { heart_count: null } } });
  });

  it('returns a private account that has data', () => {
    expect(extractProfile([response(universalPage(profileScope(shortUser(), 10222)))], {})).toMatchObject({
      outcome: 'ok',
      data: { privacy: { private_account: true } },
    });
  });

  it('prefers the script with the user to a newer one without', () => {
    const both =
      universalPage({}) +
      statePage({
        UserPage: { uniqueId: 'harbourbakery' },
        UserModule: { users: { harbourbakery: shortUser() }, stats: {} },
      });
    expect(extractProfile([response(both)], {})).toMatchObject({ outcome: 'ok', data: { identity } });
  });

  it.each([
    ['not_found', universalPage(profileScope(undefined, 10221))],
    ['not_found', universalPage(profileScope(undefined, 10202))],
    ['private', universalPage(profileScope(undefined, 10222))],
    ['blocked', universalPage(profileScope(undefined, 10231))],
    ['blocked', challengePage()],
    ['blocked', captchaPage()],
    ['blocked', emptyShell()],
    ['blocked', universalPage({})],
    ['unrecognised', universalPage({ 'webapp.member-card': { member: { name: 'x' } } })],
    ['unrecognised', universalPage(profileScope(undefined))],
    ['unrecognised', universalPage(profileScope(undefined, 99999))],
  ])('reports %s', (outcome, body) => {
    expect(extractProfile([response(body)], {}).outcome).toBe(outcome);
  });
});

describe('video', () => {
  const data = {
    id: '7000000000000000002',
    description: 'Into the oven #bread',
    create_time: 1771567930,
    author: {
      id: '7000000000000000001',
      unique_id: 'harbourbakery',
      nickname: 'Harbour Bakery',
      verified: false,
    },
    stats: { play_count: 29018, like_count: 1052, comment_count: 49, share_count: 42 },
    video: {
      duration: 54,
      cover: 'https://cdn.example/cover.jpeg',
      play_url: 'https://cdn.example/video.mp4',
    },
    music: { id: '7000000000000000003', title: 'original sound', author: 'Harbour Bakery' },
  };

  it.each([
    ['desktop', universalPage(videoScope(shortItem()))],
    ['mobile', universalPage(videoScope(shortItem(), 0, 'webapp.reflow.video.detail'))],
    ['__NEXT_DATA__', nextPage({ itemInfo: { itemStruct: shortItem() } })],
    [
      'SIGI_STATE',
      statePage({
        VideoPage: {},
        ItemModule: { x: { ...shortItem(), author: 'harbourbakery' } },
        UserModule: { users: { harbourbakery: shortUser() } },
      }),
    ],
  ])('reads %s', (_name, body) => {
    expect(extractVideo([response(body)], {})).toEqual({ outcome: 'ok', data });
  });

  it('reads a flat item, whose author may not say whether it is verified', () => {
    const flat = {
      ...shortItem(),
      author: 'harbourbakery',
      authorId: '7000000000000000001',
      nickname: 'Harbour Bakery',
    };
    expect(extractVideo([response(flat)], {})).toMatchObject({
      data: { author: { ...data.author, verified: null } },
    });
  });

  it('returns a photo post without a file', () => {
    const photo = {
      ...shortItem(),
      video: { playAddr: '', duration: 0 },
      imagePost: { images: [{ imageURL: { urlList: ['https://cdn.example/one.jpeg'] } }] },
    };
    expect(extractVideo([response(universalPage(videoScope(photo)))], {})).toMatchObject({
      data: { video: { duration: 0, cover: 'https://cdn.example/one.jpeg', play_url: null } },
    });
  });

  it('leaves files on the site’s own host out', () => {
    const item = {
      ...shortItem(),
      video: {
        duration: 5,
        playAddr: 'https://www.tiktok.com/aweme/v1/play/',
        bitrateInfo: [
          { PlayAddr: { Width: 1, Height: 1, UrlList: ['https://cdn.example/small.mp4'] } },
          {
            PlayAddr: {
              Width: 9,
              Height: 9,
              UrlList: ['https://www.tiktok.com/x', 'https://cdn.example/large.mp4'],
            },
          },
        ],
      },
    };
    expect(extractVideo([response(universalPage(videoScope(item)))], {})).toMatchObject({
      data: { video: { play_url: 'https://cdn.example/large.mp4' } },
    });
  });

  it.each([
    ['not_found', universalPage(videoScope(undefined, 10204))],
    ['private', universalPage(videoScope(undefined, 10216))],
    ['private', universalPage(videoScope(undefined, 10222))],
    ['blocked', universalPage(videoScope(undefined, 10231))],
    [
      'blocked',
      universalPage(videoScope({ id: '7000000000000000002', isContentClassified: true, stats: {} })),
    ],
    ['blocked', challengePage()],
    ['unrecognised', universalPage(videoScope(undefined))],
  ])('reports %s', (outcome, body) => {
    expect(extractVideo([response(body)], {}).outcome).toBe(outcome);
  });
});
