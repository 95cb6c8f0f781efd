import { sampleSystem } from '../../platform/metrics/sample-system.ts';
import { getSystemUsage } from './system-usage.ts';
import { foldUsage } from './usage.ts';
import { ENGINE } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { createId } from '../../platform/ids.ts';
import { retentionRules } from '../../platform/retention/retention-rules.ts';
import { callOnce, openTestDoor, valueOf } from '../../operations/testing/test-calls.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { findViolations } from '../../testing/find-violations.ts';
import { submitTestRun } from '../../testing/submit-test-run.ts';
import { submitTestRequest } from '../../testing/submit-test-request.ts';
import { endRequest } from '../../testing/test-requests.ts';
import { createTestAccount, testContext } from '../../testing/test-services.ts';

const { services, close } = await openTestDoor();
const { sql } = services.db;
afterAll(close);

interface Line {
  from: string;
  host?: string;
  cron_id?: string;
  key_id?: string;
  parser_id?: string;
  pages: { succeeded: number; failed: number };
  credits: number;
}

async function usageOf(apiKey: string, query: Record<string, unknown>): Promise<Line[]> {
  const lines: Line[] = [];
  let cursor: string | null | undefined;
  do {
    const page = valueOf(
      await callOnce(services, 'getUsage', { apiKey }, { query: { ...query, cursor: cursor ?? undefined } }),
    ) as { usage: Line[]; pagination: { cursor: string | null } };
    lines.push(...page.usage);
    ({ cursor } = page.pagination);
  } while (cursor !== null);
  return lines;
}

function hostsOf(lines: readonly Line[]): Record<string, [number, number, number]> {
  return Object.fromEntries(
    lines.map(({ host = '-', pages, credits }) => [host, [pages.succeeded, pages.failed, credits]]),
  );
}

/** Replaces the hours before this time by sums of their days. */
async function rollUp(before: number): Promise<void> {
  const rule = retentionRules(services.config).find(({ kind }) => kind === 'hours of usage');
  await rule?.remove(services.db.orm, Date.now() - before, 100);
}

it('counts what ended with its host, key, parser and cron, and each grouping has the same sum', async () => {
  const { accountId, apiKey } = await createTestAccount(services, { credits: 1_000, concurrency: 100 });
  const worker = createTestWorker(services, 'wrk_usage');
  const run = await submitTestRun(
    services,
    accountId,
    ['https://A.test/1', 'http://b.test:8080/2?x', 'https://user:secret@a.test/3', 'https://c.test'],
    { price: 5, by: { keyId: 'key_1', cronId: 'crn_1' } },
  );
  const chunk = await worker.takeOf(run.no);
  if (!chunk) throw new Error('nothing to run');
  await worker.end(
    chunk,
    { succeeded: [0, 1, 3], answers: ['{}', '{}', '{}'], failed: [2], errors: [{ code: 'fetch_failed' }] },
    { retries: [], left: [], busyMs: 1 },
  );
  const id = createId('request');
  await submitTestRequest(services, { id, accountId, price: 2 });
  await sql`UPDATE gleaner.requests SET state = 'running', origin = '{"key": "key_2", "host": "a.test"}' WHERE id = ${id}`;
  await endRequest(services, id, null, { state: 'succeeded', answer: '{}' });

  expect(hostsOf(await usageOf(apiKey, { group_by: 'host' }))).toEqual({
    'a.test': [2, 1, 7],
    'b.test:8080': [1, 0, 5],
    'c.test': [1, 0, 5],
  });
  const keys = await usageOf(apiKey, { group_by: 'key', limit: 1 });
  expect(keys.map((line) => [line.key_id, line.credits])).toEqual([
    ['key_1', 15],
    ['key_2', 2],
  ]);
  const crons = await usageOf(apiKey, { group_by: 'cron' });
  expect(crons.map((line) => [line.cron_id, line.credits])).toEqual([
    [undefined, 2],
    ['crn_1', 15],
  ]);
  for (const group of ['hour', 'day', 'key', 'parser', 'cron', 'host']) {
    const lines = await usageOf(apiKey, { group_by: group });
    expect(lines.reduce((sum, { credits }) => sum + credits, 0)).toBe(17);
    expect(lines.reduce((sum, { pages }) => sum + pages.succeeded + pages.failed, 0)).toBe(5);
  }
  expect(await usageOf(apiKey, { to: '2020-01-01T00:00:00.000Z' })).toEqual([]);
  expect(await findViolations(services.db)).toEqual([]);
});

it('counts the rows that runs changed, once, in hours and days, beside their pages', async () => {
  const { accountId, apiKey } = await createTestAccount(services, { credits: 1_000, concurrency: 100 });
  const worker = createTestWorker(services, 'wrk_rows');
  const run = await submitTestRun(services, accountId, ['https://a.test/1'], { by: { cronId: 'crn_rows' } });
  const chunk = await worker.takeOf(run.no);
  if (!chunk) throw new Error('nothing to run');
  await worker.end(
    chunk,
    { succeeded: [0], answers: ['{}'], failed: [], errors: [] },
    { retries: [], left: [], busyMs: 1 },
  );
  for (const counts of ['(3,4,5,2,0)', '(0,0,0,0,6)', '(9,0,0,0,0)', '(1,,,,)'])
    await sql`SELECT ${sql(ENGINE)}.count_rows(${run.no}, ${counts}::text::${sql(ENGINE)}.row_counts)`;
  const rows = { new: 6, changed: 5, removed: 6 };
  async function expectSums() {
    for (const group of ['hour', 'day', 'key', 'parser', 'cron'])
      expect(await usageOf(apiKey, { group_by: group })).toMatchObject([{ credits: 1, rows }]);
    const hosts = await usageOf(apiKey, { group_by: 'host' });
    expect(hosts.find(({ host }) => host === undefined)).toMatchObject({ credits: 0, rows });
    expect(await usageOf(apiKey, { cron: 'crn_rows' })).toMatchObject([{ rows }]);
  }
  await expectSums();
  await foldUsage(services.db);
  await expectSums();
  await sql`UPDATE gleaner.usage_hours SET hour = date_trunc('day', hour, 'UTC') - interval '100 days' + interval '5 hours'
    WHERE account_id = ${accountId}`;
  await rollUp(Date.now() - 90 * 86_400_000);
  await expectSums();
  expect(await findViolations(services.db)).toEqual([]);
});

it('counts what each page cost for its host, when pages of a run cost less than others', async () => {
  const { accountId, apiKey } = await createTestAccount(services, { credits: 1_000, concurrency: 100 });
  const worker = createTestWorker(services, 'wrk_mixed');
  const urls = [
    'https://a.test/1',
    'https://b.test/2',
    'https://a.test/3',
    'https://b.test/4',
    'https://b.test/5',
  ];
  const run = await submitTestRun(services, accountId, urls, { price: 5 });
  const chunk = await worker.takeOf(run.no);
  if (!chunk) throw new Error('nothing to run');
  await worker.flush(
    chunk,
    { succeeded: [0, 1], answers: ['{}', '{}'], prices: [1, 5], failed: [], errors: [] },
    {},
  );
  await worker.end(
    chunk,
    {
      succeeded: [2, 4],
      answers: ['{}', '{}'],
      prices: [null, 2],
      failed: [3],
      errors: [{ code: 'fetch_failed' }],
    },
    { retries: [], left: [], busyMs: 1 },
  );
  expect(hostsOf(await usageOf(apiKey, { group_by: 'host' }))).toEqual({
    'a.test': [2, 0, 6],
    'b.test': [2, 1, 7],
  });
  expect(await findViolations(services.db)).toEqual([]);
});

it('counts no page again that was kept', async () => {
  const { accountId, apiKey } = await createTestAccount(services, { credits: 100, concurrency: 100 });
  const worker = createTestWorker(services, 'wrk_kept');
  for (const [config, price] of [
    [{}, 1],
    [{ pages: 'kept' }, 0],
  ] as const) {
    const run = await submitTestRun(services, accountId, ['https://a.test/1', 'https://a.test/2'], {
      config,
      price,
    });
    const chunk = await worker.takeOf(run.no);
    if (!chunk) throw new Error('nothing to run');
    await worker.end(
      chunk,
      { succeeded: [0], answers: ['{}'], failed: [1], errors: [{ code: 'extraction_failed' }] },
      { retries: [], left: [], busyMs: 1 },
    );
    // The kept pages change nothing.
    expect(hostsOf(await usageOf(apiKey, { group_by: 'host' }))).toEqual({ 'a.test': [1, 1, 1] });
  }
  expect(await findViolations(services.db)).toEqual([]);
});

it('counts what a cancelled run had done', async () => {
  const { accountId, apiKey } = await createTestAccount(services, { credits: 100, concurrency: 100 });
  const worker = createTestWorker(services, 'wrk_cancelled');
  const run = await submitTestRun(services, accountId, [
    'https://a.test/1',
    'https://b.test/2',
    'https://b.test/3',
  ]);
  const chunk = await worker.takeOf(run.no);
  if (!chunk) throw new Error('nothing to run');
  await worker.flush(
    chunk,
    { succeeded: [1], answers: ['{}'], failed: [0], errors: [{ code: 'fetch_failed' }] },
    {},
  );
  await sql`SELECT ${sql(ENGINE)}.cancel_run(${accountId}, ${run.id})`;
  expect(hostsOf(await usageOf(apiKey, { group_by: 'host' }))).toEqual({
    'a.test': [0, 1, 0],
    'b.test': [1, 0, 1],
  });
  expect(await findViolations(services.db)).toEqual([]);
});

it('names 200 hosts of a day; further ones count together', async () => {
  const { accountId, apiKey } = await createTestAccount(services, { credits: 1_000, concurrency: 1_000 });
  const worker = createTestWorker(services, 'wrk_hosts');
  const urls = Array.from({ length: 230 }, (_, place) => `https://h${place}.test/`);
  const run = await submitTestRun(services, accountId, urls);
  for (;;) {
    const chunk = await worker.takeOf(run.no);
    if (!chunk) break;
    await worker.endAll(chunk, 'succeed');
  }
  await foldUsage(services.db);
  const lines = await usageOf(apiKey, { group_by: 'host', limit: 100 });
  expect(lines).toHaveLength(201);
  expect(lines.find(({ host }) => host === 'other')?.credits).toBe(30);
});

it('a day is that of the given zone, and days take the place of old hours', async () => {
  const { accountId, apiKey } = await createTestAccount(services, { credits: 1, concurrency: 1 });
  const add = (hour: string) => sql`
    INSERT INTO gleaner.usage_hours (account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits)
    VALUES (${accountId}, ${hour}, '', '', '', 'a.test', 1, 0, 1)`;
  for (const hour of ['2025-03-01T22:00Z', '2025-03-01T23:00Z', '2025-03-02T10:00Z']) await add(hour);
  const days = await usageOf(apiKey, { timezone: 'Europe/Berlin' });
  expect(days.map(({ from, credits }) => [from, credits])).toEqual([
    ['2025-03-01T23:00:00.000Z', 2],
    ['2025-02-28T23:00:00.000Z', 1],
  ]);
  await rollUp(Date.parse('2025-04-01'));
  const hours = await usageOf(apiKey, { group_by: 'hour' });
  expect(hours.map(({ from, credits }) => [from, credits])).toEqual([
    ['2025-03-02T00:00:00.000Z', 1],
    ['2025-03-01T00:00:00.000Z', 2],
  ]);
});

it('counts what one parser or one cron used alone', async () => {
  const { accountId, apiKey } = await createTestAccount(services, { credits: 10, concurrency: 1 });
  const body = { name: 'kettles', schema: { fields: { title: 'h1' } } };
  const { id } = valueOf(await callOnce(services, 'createParser', { apiKey }, { body })) as { id: string };
  await sql`
    INSERT INTO gleaner.usage_hours (account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits)
    VALUES (${accountId}, '2026-03-05T10:00:00Z', '', ${id}, '', 'a.test', 3, 1, 3),
      (${accountId}, '2026-03-05T10:00:00Z', '', '', 'crn_1', 'a.test', 5, 0, 5)`;
  expect(hostsOf(await usageOf(apiKey, { group_by: 'host' }))).toEqual({ 'a.test': [8, 1, 8] });
  expect(hostsOf(await usageOf(apiKey, { group_by: 'host', parser: id }))).toEqual({ 'a.test': [3, 1, 3] });
  expect(hostsOf(await usageOf(apiKey, { group_by: 'host', cron: 'crn_1' }))).toEqual({
    'a.test': [5, 0, 5],
  });
});

it('tells the operator what all accounts read in a day, by hour and by account', async () => {
  const [one, other] = [await createTestAccount(services), await createTestAccount(services)];
  await sql`
    INSERT INTO gleaner.usage_hours (account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits)
    SELECT a, date_trunc('hour', now(), 'UTC') - hours * interval '1 hour', '', '', '', 'a.test', pages, 1, pages
    FROM (VALUES (${one.accountId}, 2, 7000), (${one.accountId}, 30, 90000), (${other.accountId}, 2, 8000)) v (a, hours, pages)`;
  await sql`
    INSERT INTO gleaner.usage_deltas (account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits)
    VALUES (${one.accountId}, date_trunc('hour', now(), 'UTC'), '', '', '', 'a.test', 2000, 0, 2000)`;
  const none = { params: undefined, query: undefined, body: undefined, upload: undefined };
  const { hours, accounts } = await getSystemUsage(testContext(services, ''), none);
  expect(accounts.slice(0, 2)).toMatchObject([
    { id: one.accountId, succeeded: 9000, failed: 1, credits: 9000 },
    { id: other.accountId, succeeded: 8000, failed: 1, credits: 8000 },
  ]);
  // Other tests of this file read a few pages.
  expect(hours.some(({ succeeded }) => succeeded >= 15_000 && succeeded < 16_000)).toBe(true);
  expect(hours.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBeLessThan(20_000);
});

it('samples how old the waiting work is, the memory of live workers and waiting pages, for a day', async () => {
  const memory = (bytes: number) =>
    JSON.stringify([{ name: 'process_resident_memory_bytes', values: [{ labels: {}, value: bytes }] }]);
  await sql`
    INSERT INTO gleaner.workers (id, host, pid, engines, seen_at, metrics)
    VALUES ('wrk_a', 'h', 1, '{http}', now(), ${memory(3e8)}::text::jsonb),
      ('wrk_b', 'h', 2, '{http}', now(), ${memory(4e8)}::text::jsonb),
      ('wrk_c', 'h', 3, '{http}', now() - interval '1 hour', ${memory(9e8)}::text::jsonb)`;
  await sql`
    INSERT INTO gleaner.system_samples (at, waiting) VALUES (now() - interval '26 hours', 7), (now() - interval '1 hour', 8)`;
  await sampleSystem(services.db);
  await sampleSystem(services.db);
  const none = { params: undefined, query: undefined, body: undefined, upload: undefined };
  const { samples } = await getSystemUsage(testContext(services, ''), none);
  expect(samples.map(({ waiting }) => waiting)).toEqual([8, 0]);
  expect(samples[1]?.memory_bytes).toBe(7e8);
  expect(await sql`SELECT FROM gleaner.system_samples`).toHaveLength(2);
});
