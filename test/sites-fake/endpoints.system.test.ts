import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Client, startSystem, type System } from '../system/start-system.ts';
import * as photoapp from './photoapp.ts';
import * as pronet from './pronet.ts';
import * as realty from './realty.ts';
import * as shortvideo from './shortvideo.ts';
import { type SitesFake, startSitesFake } from './start-sites-fake.ts';
import { until } from '../system/until.ts';
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

function get(id: string, fields: Fields): Promise<Answer> {
  return client.call('GET', `/v1/${id}?${new URLSearchParams(fields).toString()}`);
}

async function balance(): Promise<number> {
  const { json } = await client.call('GET', '/v1/credits');
  return (json as { creditBalance: number }).creditBalance;
}

interface Batch {
  id: string;
  status: string;
  counts: { succeeded: number; failed: number };
}

/** Runs a batch of an API's inputs to its end. */
async function runBatch(id: string, inputs: Fields[], sink: Record<string, unknown>): Promise<Batch> {
  const created = await client.call('POST', '/v1/batches', { target: { type: 'api', id }, inputs, sink });
  expect(created.status, created.text).toBe(202);
  let batch = created.json as Batch;
  await until(
    'the batch ends',
    async () => {
      batch = (await client.call('GET', `/v1/batches/${batch.id}`)).json as Batch;
      return !['pending', 'running'].includes(batch.status);
    },
    60_000,
  );
  return batch;
}

describe('prebuilt endpoints through the engine', () => {
  it('passes challenges in a browser, at the same price', async () => {
    const before = await balance();
    const profile = await get('shortvideo-profile', { username: shortvideo.CHALLENGED_USER });
    expect(profile.status, profile.text).toBe(200);
    expect(profile.json).toMatchObject({ identity: { unique_id: shortvideo.CHALLENGED_USER } });
    const search = await get('realty-search', { query: realty.CHALLENGED_QUERY });
    expect(search.status, search.text).toBe(200);
    expect(search.json).toMatchObject({ total_results: 90 });
    expect(await balance()).toBe(before - 2);
  });

  it('writes rows keyed by their natural identifiers, however often they are fetched', async () => {
    const made = await client.call('POST', '/v1/databases', { name: 'sites', kind: 'managed' });
    expect(made.status, made.text).toBe(201);
    const { id: database } = made.json as { id: string };
    const rowsOf = async (table: string): Promise<Record<string, unknown>[]> => {
      const { json, text } = await client.call(
        'GET',
        `/v1/databases/${database}/tables/${table}/rows?limit=100`,
      );
      expect(json, text).toHaveProperty('rows');
      return (json as { rows: Record<string, unknown>[] }).rows;
    };
    const sinkTo = (table: string): Record<string, unknown> => ({ mode: 'database', database, table });
    for (const round of [1, 2]) {
      const videos = await runBatch(
        'videosite-channel-videos',
        [{ channel_id: videosite.CHANNEL }, { channel_id: videosite.MISSING_CHANNEL }],
        sinkTo('videos'),
      );
      expect(videos.counts, `round ${round}`).toMatchObject({ succeeded: 1, failed: 1 });
      await runBatch('shortvideo-profile', [{ username: shortvideo.USER }], sinkTo('people'));
      await runBatch('realty-search', [{ query: realty.QUERY }], sinkTo('homes'));
    }
    const videos = await rowsOf('videos');
    expect(videos.map((row) => row['id']).toSorted()).toEqual(
      videosite.VIDEOS.slice(0, 30)
        .map((video) => video.id)
        .toSorted(),
    );
    expect(await rowsOf('people')).toMatchObject([{ user_id: '7000000000000000001' }]);
    expect(await rowsOf('homes')).toHaveLength(40);
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
