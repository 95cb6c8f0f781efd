import { API_IDS, PREBUILT_APIS, type ApiId } from '@gleaner/contracts';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSitesFake, type SitesFake } from '../sites-fake/start-sites-fake.ts';
import { CHANNEL, VIDEOS } from '../sites-fake/videosite.ts';
import { startSystem, type Client, type System } from '../system/start-system.ts';

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

const balance = async (): Promise<number> => {
  const { json } = await client.call('GET', '/v1/credits');
  return (json as { creditBalance: number }).creditBalance;
};

/** What the fake has, where it does not have the catalogue's example. */
const KNOWN: Partial<Record<ApiId, Record<string, unknown>>> = {
  'videosite-channel-videos': { channel_id: CHANNEL },
  'videosite-channel-shorts': { channel_id: CHANNEL },
  'videosite-video': { video_id: VIDEOS[0]?.id },
};

const query = (input: Record<string, unknown>): string =>
  new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)])).toString();

test.each(API_IDS)('%s answers by GET and POST, in its shape, for one credit', async (id) => {
  const { path, example, output } = PREBUILT_APIS[id];
  const input = KNOWN[id] ?? example.input;
  const before = await balance();
  const got = await client.call('GET', `${path}?${query(input)}`);
  expect({ status: got.status, text: got.status === 200 ? '' : got.text }).toEqual({ status: 200, text: '' });
  expect(output.strict().safeParse(got.json).error).toBeUndefined();
  expect(got.headers.get('x-credits-used')).toBe('1');
  const posted = await client.call('POST', path, input);
  expect(posted).toMatchObject({ status: 200, json: got.json });
  expect(posted.headers.get('x-credits-remaining')).toBe(String(before - 2));
  expect(await balance()).toBe(before - 2);
});

test('a channel is paged to its end', async () => {
  const { path } = PREBUILT_APIS['videosite-channel-videos'];
  const seen = new Set<string>();
  let items = 0;
  let continuation: string | undefined;
  do {
    const { status, json } = await client.call(
      'GET',
      `${path}?${query({ channel_id: CHANNEL, ...(continuation === undefined ? {} : { continuation }) })}`,
    );
    expect(status).toBe(200);
    const page = json as {
      videos: { id: string }[];
      pagination: { continuation: string | null; has_more: boolean };
    };
    for (const video of page.videos) seen.add(video.id);
    items += page.videos.length;
    continuation = page.pagination.has_more ? (page.pagination.continuation ?? undefined) : undefined;
  } while (continuation !== undefined && items < 1_000);
  expect({ seen: seen.size, items }).toEqual({ seen: VIDEOS.length, items: VIDEOS.length });
});

test('what does not exist is 404 and charges nothing', async () => {
  const before = await balance();
  expect(await client.call('GET', '/v1/shortvideo-profile?username=nobody.at.all')).toMatchObject({
    status: 404,
    json: { error: 'target not found' },
  });
  expect(await balance()).toBe(before);
});

test('an address of another host is refused before anything is fetched', async () => {
  const before = fake.requests.length;
  for (const path of [
    '/v1/realty-details?url=http://127.0.0.1/x',
    '/v1/realty-search?next_url=https://example.com/homes',
    '/v1/shortvideo-video?url=https://evil.example/@a/video/1',
    '/v1/pronet-post?url=file:///etc/passwd',
  ]) {
    expect(await client.call('GET', path)).toMatchObject({ status: 400, json: { error: 'invalid request' } });
  }
  expect(fake.requests.length).toBe(before);
});

test('too few credits and missing parameters are told exactly', async () => {
  const poor = await system.client({ credits: 0 });
  expect(await poor.call('POST', '/v1/photoapp-profile', { username: 'x' })).toMatchObject({
    status: 402,
    json: { error: 'insufficient credits', required: 1, available: 0 },
  });
  expect(await client.call('POST', '/v1/photoapp-profile', {})).toMatchObject({
    status: 400,
    json: { field: 'username' },
  });
});
