import { PREBUILT_APIS } from '@gleaner/contracts';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Client, startSystem, type System } from '../system/start-system.ts';
import * as photoapp from './photoapp.ts';
import * as pronet from './pronet.ts';
import * as realty from './realty.ts';
import * as shortvideo from './shortvideo.ts';
import { type SitesFake, startSitesFake } from './start-sites-fake.ts';
import * as videosite from './videosite.ts';

let database: TestDatabase;
let fake: SitesFake;
let system: System;
let client: Client;

beforeAll(async () => {
  [database, fake] = await Promise.all([createTestDatabase(), startSitesFake()]);
  system = await startSystem({ databaseUrl: database.url, env: fake.env });
  client = await system.client();
});

afterAll(async () => {
  await system.stop();
  await Promise.all([fake.close(), database.close()]);
});

type Fields = Record<string, string>;

const get = (id: string, fields: Fields): Promise<Answer> =>
  client.call('GET', `/v1/${id}?${new URLSearchParams(fields).toString()}`);

const balance = async (): Promise<number> => {
  const { json } = await client.call('GET', '/v1/credits');
  return (json as { creditBalance: number }).creditBalance;
};

const INPUTS: Record<keyof typeof PREBUILT_APIS, Fields> = {
  'photoapp-profile': { username: photoapp.USER },
  'photoapp-reels': { username: photoapp.USER, page_size: '5' },
  'photoapp-posts': { username: photoapp.USER, first: '20' },
  'videosite-channel-videos': { channel_id: videosite.CHANNEL },
  'videosite-channel-shorts': { channel_id: videosite.CHANNEL },
  'videosite-search': { query: 'bridge' },
  'videosite-video': { video_id: videosite.VIDEOS[0]?.id ?? '' },
  'shortvideo-profile': { username: shortvideo.USER },
  'shortvideo-video': { url: `https://www.tiktok.com/@x/video/${shortvideo.VIDEO_ID}` },
  'realty-search': { query: realty.QUERY },
  'realty-details': { url: `https://www.zillow.com/homedetails/${realty.ZPID}_zpid/` },
  'pronet-post': { url: pronet.POST_ID },
};

describe('prebuilt endpoints through the engine', () => {
  it.each(Object.entries(INPUTS))('%s answers GET and POST alike, at one credit each', async (id, fields) => {
    const before = await balance();
    const asked = await get(id, fields);
    expect(asked.status, asked.text).toBe(200);
    expect(asked.headers.get('x-credits-used')).toBe('1');
    expect(asked.headers.get('x-credits-remaining')).toBe(String(before - 1));
    expect(PREBUILT_APIS[id as keyof typeof INPUTS].output.strict().parse(asked.json)).toEqual(asked.json);
    const posted = await client.call('POST', `/v1/${id}`, fields);
    expect(posted.json).toEqual(asked.json);
    expect(await balance()).toBe(before - 2);
  });

  it('passes challenges in a browser, at the same price', async () => {
    const before = await balance();
    const profile = await get('shortvideo-profile', { username: shortvideo.CHALLENGED_USER });
    expect(profile.status, profile.text).toBe(200);
    expect(profile.json).toMatchObject({ identity: { unique_id: shortvideo.CHALLENGED_USER } });
    const search = await get('realty-search', { query: realty.CHALLENGED_QUERY });
    expect(search.status, search.text).toBe(200);
    expect(search.json).toMatchObject({ total_results: 90 });
    expect(await balance()).toBe(before - 2);
  }, 90_000);

  it('pages a channel to its end', async () => {
    const ids: string[] = [];
    let fields: Fields | undefined = { channel_id: videosite.CHANNEL };
    while (fields !== undefined) {
      const { json } = await get('videosite-channel-videos', fields);
      const { videos, pagination } = json as {
        videos: { id: string }[];
        pagination: { continuation: string | null; has_more: boolean };
      };
      ids.push(...videos.map((video) => video.id));
      fields = pagination.has_more ? { continuation: pagination.continuation ?? '' } : undefined;
    }
    expect(ids).toEqual(videosite.VIDEOS.map((video) => video.id));
  });

  it.each([
    [404, 'target not found', 'photoapp-profile', { username: 'nobody.here' }],
    [404, 'target not found', 'photoapp-posts', { username: photoapp.PRIVATE_USER }],
    [404, 'target not found', 'videosite-video', { video_id: videosite.MISSING_VIDEO }],
    [502, 'target blocked', 'pronet-post', { url: `https://www.linkedin.com${pronet.BLOCKED_PATH}` }],
    [502, 'target blocked', 'photoapp-profile', { username: photoapp.LIMITED_USER }],
  ] as const)('answers %i “%s” for %s %j and charges nothing', async (status, error, id, fields) => {
    const before = await balance();
    const answer = await get(id, fields);
    expect({ status: answer.status, error: (answer.json as Fields)['error'] }).toEqual({ status, error });
    expect((answer.json as Fields)['detail']).toMatch(/\w/);
    expect(await balance()).toBe(before);
  });

  it.each([
    ['user_id', 'photoapp-reels', { continuation: 'x' }],
    ['username', 'photoapp-posts', {}],
    ['channel_id', 'videosite-channel-videos', { channel_id: 'UC1' }],
    ['url', 'realty-details', { url: 'http://127.0.0.1:1/homedetails/1_zpid/' }],
    ['next_url', 'realty-search', { next_url: 'https://evil.example/2_p/' }],
    ['page_size', 'photoapp-reels', { username: 'a', page_size: '51' }],
  ] as const)('names the field %s that %s %j gets wrong', async (field, id, fields) => {
    const { status, json } = await get(id, fields);
    expect({ status, field: (json as Fields)['field'] }).toEqual({ status: 400, field });
  });
});
