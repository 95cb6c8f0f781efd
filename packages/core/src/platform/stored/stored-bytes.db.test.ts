import { randomBytes } from 'node:crypto';
import { ENGINE } from '@gleaner/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOnce, openTestDoor } from '../../operations/testing/test-calls.ts';
import { operationTable } from '../../operations/operation-table.ts';
import { createTestAccount } from '../../testing/test-services.ts';
import { forgetWindow } from '../../runs/sweep/rotate-partitions.ts';
import { createStorageWatch, noteDisk, storesOf } from './stored-bytes.ts';
import { sumStored } from './sum-stored.ts';

const LIMIT = 20_000_000;
const opened = await openTestDoor();
const services = { ...opened.services, config: { ...opened.services.config, accountBytes: LIMIT } };
const { sql } = services.db;
afterAll(() => opened.close());

let account: { accountId: string; apiKey: string };
beforeAll(async () => {
  account = await createTestAccount(services, { credits: 0 });
});

function call(operation: string, input: object, { apiKey } = account): Promise<unknown> {
  return callOnce(services, operation, { apiKey }, input).then(
    ({ answer }) => (answer.kind === 'json' ? answer.value : undefined),
    (error: unknown) => Promise.reject(error as Error),
  );
}

async function storedOf({ accountId } = account) {
  const [row] = await sql<{ bytes: number; free: number; kept: number }[]>`
    SELECT bytes::int, free_bytes::int AS free, kept_bytes::int AS kept FROM gleaner.stored_bytes WHERE account_id = ${accountId}`;
  return row ?? { bytes: 0, free: 0, kept: 0 };
}

async function measure(): Promise<void> {
  await sql`UPDATE gleaner.stored_bytes SET measured_at = '-infinity'`;
  await sumStored(services.db);
}

const full = { code: 'plan_limit_exceeded' };

it('refuses samples and parsers beyond a twentieth of the limit at once, and takes deletions', async () => {
  const parser = (await call('createParser', { body: { name: 'p', schema: { fields: { h: 'h1' } } } })) as {
    id: string;
  };
  const sample = () => ({
    params: { id: parser.id },
    body: { html: `<h1>x</h1><p>${randomBytes(300_000).toString('base64')}` },
  });
  const samples: { id: string }[] = [];
  for (let count = 0; count < 4; count += 1)
    samples.push((await call('createParserSample', sample())) as { id: string });
  await expect(call('createParserSample', sample())).rejects.toMatchObject(full);
  await expect(
    call('createParser', { body: { name: 'q', schema: { fields: { h: 'h1' } } } }),
  ).rejects.toMatchObject(full);
  await expect(
    call('updateParser', { params: { id: parser.id }, body: { name: 'r' } }),
  ).rejects.toMatchObject(full);
  // Reading goes on.
  expect(await call('listParserSamples', { params: { id: parser.id } })).toMatchObject({
    samples: { length: 4 },
  });

  const added = await storedOf();
  await measure();
  const { bytes, free } = await storedOf();
  expect(free).toBeGreaterThan(1_100_000);
  expect(Math.abs(free - added.free)).toBeLessThan(100_000);
  expect(bytes).toBeGreaterThanOrEqual(free);
  expect(await call('getCredits', {})).toMatchObject({ storedBytes: bytes, storedBytesLimit: LIMIT });

  for (const { id } of samples) await call('deleteParserSample', { params: { id: parser.id, sample: id } });
  await measure();
  expect((await storedOf()).free).toBeLessThan(10_000);
  await call('createParserSample', sample());
});

it('counts inputs, results and rows of runs, and refuses work, also of runs under way, beyond the limit', async () => {
  const own = await createTestAccount(services, { credits: 1_000_000 });
  const parser = (await call(
    'createParser',
    { body: { name: 'p', schema: { fields: { h: 'h1' } } } },
    own,
  )) as {
    id: string;
  };
  const urls = Array.from({ length: 2_000 }, (_, n) => `http://a.test/${n}?${'x'.repeat(500)}`);
  const batch = () =>
    call('createBatch', { body: { target: { type: 'parser', parserId: parser.id }, urls } }, own);
  await batch();
  await measure();
  const { bytes } = await storedOf(own);
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThan(1_500_000);

  // A managed table.
  const database = (await call('createDatabase', { body: { name: 'd', kind: 'managed' } }, own)) as {
    id: string;
  };
  await sql.unsafe(`
    CREATE TABLE "${database.id}".t (v text); ALTER TABLE "${database.id}".t ALTER v SET STORAGE EXTERNAL;
    INSERT INTO "${database.id}".t SELECT repeat('x', 1000000) FROM generate_series(1, 19)`);
  await measure();
  expect((await storedOf(own)).bytes).toBeGreaterThan(LIMIT);
  await expect(batch()).rejects.toMatchObject(full);
  expect(await createStorageWatch(services.db, services.config).refusalOf(own.accountId)).toMatchObject(full);
  expect(await createStorageWatch(services.db, services.config).refusalOf(account.accountId)).toBeUndefined();

  // Its window is dropped.
  const [window] = await sql<{ start: string }[]>`SELECT ${sql(ENGINE)}.window_start(now())::text AS start`;
  await forgetWindow(services.db, window?.start ?? '', '0');
  expect(
    await sql`SELECT 1 FROM gleaner.run_bytes b JOIN gleaner.runs r ON r.no = b.run_no AND r.state = 'succeeded'`,
  ).toEqual([]);
});

it('refuses what stores while the disk is almost full, and goes on when it is not', async () => {
  const config = { dataDir: services.config.dataDir, databaseDisk: '/' };
  const space = (free: number) =>
    noteDisk(services.db, config, () => Promise.resolve({ bavail: free, blocks: 100 }));
  await space(4);
  const create = () => call('createWorkflow', { body: {} });
  await expect(create()).rejects.toMatchObject({
    code: 'temporarily_unavailable',
    options: { detail: expect.stringContaining('disk') as string },
  });
  expect(await createStorageWatch(services.db, services.config).hasDisk()).toBe(false);
  expect(await call('listParsers', {})).toMatchObject({ parsers: [{ name: 'p' }] });
  await space(20);
  await expect(create()).rejects.toMatchObject({ code: 'invalid_request' });
  // A Postgres elsewhere.
  await noteDisk(services.db, { dataDir: '/nowhere', databaseDisk: undefined });
  expect(await sql`SELECT 1 FROM gleaner.settings WHERE name = 'disk_free'`).toEqual([]);
});

it('refuses further free maps of an account that found a million addresses in a day', async () => {
  const own = await createTestAccount(services, { credits: 0 });
  const map = () =>
    call(
      'createMap',
      { body: { start: ['http://a.test/'], crawl: { sources: { links: false, sitemaps: true } } } },
      own,
    );
  await map();
  await sql`UPDATE gleaner.crawls SET entries = 900000`;
  await map();
  await sql`UPDATE gleaner.crawls SET entries = 600000`;
  await expect(map()).rejects.toMatchObject(full);
});

/** Calls that leave nothing, or what ends by itself within minutes. */
const LEAVE_NOTHING =
  `cancelBatch cancelJob cancelWorkflowRun compareParserVersions discardQuarantinedRows discardRun loadPageResources
  parseHtml previewCron previewParser proposeParserRepair publishRun readPage replayDelivery replayWebhookDelivery resetParserHealth
  rotateWebhookSecret scrapeAsJson scrapeWithSchema suggestParser`.split(/\s+/);

it('knows of each operation whether it stores', () => {
  const others = operationTable
    .map(({ operation }) => operation)
    .filter(
      (operation) =>
        operation.auth === 'key' &&
        ['POST', 'PUT'].includes(operation.method) &&
        operation.tag !== 'Prebuilt APIs' &&
        storesOf(operation) === undefined,
    );
  expect(others.map(({ id }) => id).toSorted()).toEqual(LEAVE_NOTHING.toSorted());
  const work = operationTable.flatMap(({ operation }) =>
    storesOf(operation) === 'work' ? [operation.id] : [],
  );
  expect(work.toSorted()).toEqual([
    'createBatch',
    'createCrawl',
    'createJob',
    'createMap',
    'createWorkflowRun',
    'parsePages',
    'reparseBatch',
    'retryBatch',
    'retryWorkflowRun',
    'triggerCron',
  ]);
});
