import type { HealthState } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { noteValues, READER } from '@gleaner/extractors';
import { createExtractionPool } from '@gleaner/threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestParser } from '../testing/submit-services.ts';
import { submitTestRun } from '../testing/submit-test-run.ts';
import {
  createTestAccount,
  openTestServices,
  testContext,
  type TestServices,
} from '../testing/test-services.ts';
import { decideAbsentFields } from '../parsers/health/absent-fields.ts';
import { createBaselines } from '../parsers/health/baselines.ts';
import { getParserHealth, resetParserHealth, listAlarms } from '../parsers/health/read-health.ts';
import { judgePage, makeDeltas, toBaseline, type HealthDelta, type HealthStats } from '@gleaner/learn/drift';
import { countTimes, getRunPace, readDays, sweepTimes } from '../parsers/health/count-times.ts';
import { rollUpHealth } from './roll-up-health.ts';

let opened: TestServices;
let accountId: string;
const pool = createExtractionPool({ threads: 1, timeoutMs: 100_000 });
beforeAll(async () => {
  opened = await openTestServices();
  ({ accountId } = await createTestAccount(opened.services));
});
afterAll(async () => {
  await opened.close();
  await pool.close();
});

const PARSER = 'prs_pause';

/** Appends what a chunk that saw these pages writes. */
async function see(pages: number, hasTitle: boolean): Promise<void> {
  const { sql } = opened.services.db;
  const [known] = await sql<{ state: HealthState; fields: HealthStats['fields'] }[]>`
    SELECT state, stats -> 'fields' AS fields FROM gleaner.parser_health WHERE parser_id = ${PARSER}`;
  const fields = [
    { path: 'title', matched: hasTitle, value_count: hasTitle ? 1 : 0, selector: null },
    { path: 'price', matched: true, value_count: 1, selector: null },
  ];
  const seen = Array.from({ length: pages }, (_, seq) => ({
    host: 'shop.example',
    url: `https://shop.example/${seq}`,
    seq,
    fields,
    error: undefined,
    baseline: known && toBaseline(known.state, known.fields),
  }));
  const notes = { parserId: PARSER, version: 1, deltas: makeDeltas('bat_1', seen), held: [] };
  await sql`SELECT ${sql(ENGINE)}.note_pages(ARRAY[ROW(${accountId}, 1, ${JSON.stringify(notes)}::text::jsonb)::${sql(ENGINE)}.page_notes])`;
  await rollUpHealth(opened.services);
}

async function stateNow(): Promise<string | undefined> {
  const [row] = await opened.services.db.sql<{ state: string }[]>`
    SELECT state FROM gleaner.parser_health WHERE parser_id = ${PARSER}`;
  return row?.state;
}

test('an alarm stops runs whose sink says pause, and ends when the value is back', async () => {
  const { db } = opened.services;
  const target = { type: 'parser' as const, parserId: PARSER, version: 1 };
  const sink = {
    mode: 'database' as const,
    database: 'db_1',
    table: 'shop',
    contract: 'evolve' as const,
    nulls: 'keep' as const,
  };
  const inputs = ['https://shop.example/1'];
  const paused = await submitTestRun(opened.services, accountId, inputs, {
    target,
    sink: { ...sink, on_drift: 'pause' },
  });
  const other = await submitTestRun(opened.services, accountId, inputs, { target, sink });
  await see(40, true);
  await see(1, false);
  await see(5, true);
  expect(await stateNow()).toBe('healthy');
  await see(20, false);
  expect(await stateNow()).toBe('broken');
  const runs = await db.sql<{ id: string; state: string }[]>`
    SELECT id, state FROM gleaner.runs WHERE account_id = ${accountId}`;
  const states = Object.fromEntries(runs.map(({ id, state }) => [id, state]));
  expect(states[paused.id]).toBe('cancelled');
  expect(states[other.id]).toBe('pending');
  await see(20, true);
  expect(await stateNow()).toBe('healthy');
  const [left] = await db.sql<{ count: number }[]>`SELECT count(*)::int AS count FROM gleaner.health_deltas`;
  expect(left?.count).toBe(0);
});

test('each roll-up counts pages and failures by minute of their run, and filled fields by day of their parser', async () => {
  const { services } = opened;
  const parserId = await createTestParser(services, accountId);
  const { id } = await submitTestRun(services, accountId, ['https://c.example/1']);
  const filled = { path: 'title', matched: true, value_count: 1, selector: null };
  const page = { host: 'c.example', url: 'https://c.example/1', error: undefined, baseline: undefined };
  const missing = { ...filled, matched: false, value_count: 0 };
  const seen = [
    { ...page, seq: 0, fields: [filled] },
    { ...page, seq: 1, fields: [missing] },
    { ...page, seq: 2, fields: undefined, error: 'fetch_timed_out' as const },
  ];
  const { sql } = services.db;
  const addOnce = async (): Promise<void> => {
    const deltas = makeDeltas(id, seen);
    const rows = [{ account_id: accountId, parser_id: parserId, delta: deltas[0] as HealthDelta }];
    await sql.begin((tx) => countTimes(tx, rows));
  };
  await addOnce();
  await addOnce();
  const context = testContext(services, accountId);
  const given = { query: undefined, body: undefined, upload: undefined, headers: {} };
  const { minutes } = await getRunPace(context, { ...given, params: { id } });
  expect(minutes.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBe(4);
  const failures = minutes.flatMap((minute) => minute.failures);
  expect(failures.reduce((sum, { count }) => sum + count, 0)).toBe(2);
  expect(failures[0]?.error).toBe('fetch timed out');
  const days = await readDays(services.db, parserId);
  const titles = days.flatMap(({ fields }) => fields.filter(({ path }) => path === 'title'));
  expect(titles.reduce((sum, { pages }) => sum + pages, 0)).toBe(4);
  expect(titles.reduce((sum, { filled: some }) => sum + some, 0)).toBe(2);
  const other = await createTestAccount(services);
  const foreign = testContext(services, other.accountId);
  await expect(getRunPace(foreign, { ...given, params: { id } })).rejects.toThrow();
  await sql`UPDATE gleaner.run_minutes SET minute = minute - interval '8 days'`;
  await sql`UPDATE gleaner.parser_days SET day = day - 91`;
  expect(await sweepTimes(services.db)).toBeGreaterThanOrEqual(2);
  expect((await getRunPace(context, { ...given, params: { id } })).minutes).toEqual([]);
});

test('a new reader begins anew: other values are no drift, nothing is held, and only its own pages count', async () => {
  const { services } = opened;
  const { sql } = services.db;
  const host = 'a.example';
  const parserId = await createTestParser(services, accountId);
  const baselines = createBaselines(services.db);
  const priced = { path: 'price', matched: true, value_count: 1, selector: null };
  const see = async (reader: number, pages: number, price: number, hasTitle = true) => {
    const key = { parserId, version: 1, host };
    const { baseline } = await baselines.read(key, performance.now());
    const title = { path: 'title', matched: hasTitle, value_count: hasTitle ? 1 : 0, selector: null };
    const fields = noteValues({ data: { title: 'Kettle', price }, fields: [title, { ...priced }] });
    const page = { host, url: `https://${host}/`, fields, error: undefined, baseline };
    const seen = Array.from({ length: pages }, (_, seq) => ({ ...page, seq }));
    const deltas = makeDeltas('bat_1', seen).map((delta) => ({ ...delta, reader }));
    const notes = { parserId, version: 1, deltas, held: [] };
    await sql`SELECT ${sql(ENGINE)}.note_pages(ARRAY[ROW(${accountId}, 1, ${JSON.stringify(notes)}::text::jsonb)::${sql(ENGINE)}.page_notes])`;
    await rollUpHealth(services);
    return judgePage({ ...page, seq: 0 }).suspicion;
  };
  const health = async () => {
    const none = {
      params: { id: parserId },
      query: undefined,
      body: undefined,
      upload: undefined,
      headers: {},
    };
    return (await getParserHealth(testContext(services, accountId), none)).hosts[0];
  };
  await see(READER, 100, 12);
  expect(await see(READER, 1, 12_000_000_000)).toContain('unusual values of price');
  // An earlier reader's statistics count for nothing, and the process that still uses it changes none.
  await sql`UPDATE gleaner.parser_health SET stats = stats - 'reader' WHERE parser_id = ${parserId}`;
  expect(await see(READER, 100, 12_000_000_000)).toBeUndefined();
  await see(1, 60, 12, false);
  expect(await health()).toMatchObject({ state: 'healthy', pages: 100 });
  expect(await see(READER, 1, 12)).toContain('unusual values of price');
  // What was missing stays among the alarms until a page gives it.
  await see(READER, 40, 12_000_000_000, false);
  expect(await health()).toMatchObject({ state: 'broken' });
  await sql`UPDATE gleaner.parser_health SET stats = stats - 'reader' WHERE parser_id = ${parserId}`;
  await see(READER, 5, 12_000_000_000, false);
  expect(await health()).toMatchObject({ state: 'degraded', pages: 5 });
  await see(READER, 5, 12_000_000_000);
  expect(await health()).toMatchObject({ state: 'healthy', pages: 10 });
});

test('after a reset the host is learned anew, other hosts are not, and nobody resets the parser of another account', async () => {
  const { services } = opened;
  const parserId = await createTestParser(services, accountId);
  const { sql } = services.db;
  const add = (host: string, version: number) => sql`
    INSERT INTO gleaner.parser_health (account_id, parser_id, version, host, state, pages, stats)
    VALUES (${accountId}, ${parserId}, ${version}, ${host}, 'broken', 10, '{"fields": {}, "failures": {}}')`;
  await add('a.example', 1);
  await add('a.example', 2);
  await add('b.example', 2);
  const none = { params: { id: parserId }, query: undefined, upload: undefined, headers: {} };
  const ctx = (id: string) => testContext(services, id);
  const stranger = await createTestAccount(services);
  await expect(
    resetParserHealth(ctx(stranger.accountId), { ...none, body: { host: 'a.example' } }),
  ).rejects.toMatchObject({ code: 'not_found' });
  const hosts = async () =>
    (await getParserHealth(ctx(accountId), { ...none, body: undefined })).hosts.map(
      ({ host, version }) => `${host} ${version}`,
    );
  expect((await hosts()).toSorted()).toEqual(['a.example 1', 'a.example 2', 'b.example 2']);
  expect(
    await resetParserHealth(ctx(accountId), { ...none, body: { host: 'a.example', version: 2 } }),
  ).toEqual({ reset: 1 });
  expect((await hosts()).toSorted()).toEqual(['a.example 1', 'b.example 2']);
  expect(await resetParserHealth(ctx(accountId), { ...none, body: { host: 'a.example' } })).toEqual({
    reset: 1,
  });
  expect(await resetParserHealth(ctx(accountId), { ...none, body: { host: 'a.example' } })).toEqual({
    reset: 0,
  });
  expect(await hosts()).toEqual(['b.example 2']);
});

test('alarms are of current versions, since their run began, and of no other account', async () => {
  const { services } = opened;
  const { sql } = services.db;
  const owner = await createTestAccount(services);
  const parserId = await createTestParser(services, owner.accountId);
  const target = { type: 'parser' as const, parserId, version: 1 };
  const { id: run } = await submitTestRun(services, owner.accountId, ['https://a.example/'], { target });
  const stats = JSON.stringify({ fields: { price: { isBroken: true } }, failures: {}, alarmRun: run });
  const add = (host: string, version: number, state: HealthState) => sql`
    INSERT INTO gleaner.parser_health (account_id, parser_id, version, host, state, pages, stats)
    VALUES (${owner.accountId}, ${parserId}, ${version}, ${host}, ${state}, 10, ${stats}::text::jsonb)`;
  await add('a.example', 1, 'degraded');
  await add('b.example', 1, 'healthy');
  await add('c.example', 7, 'broken');
  const list = async (id: string) => {
    const none = { params: undefined, query: undefined, body: undefined, upload: undefined, headers: {} };
    return (await listAlarms(testContext(services, id), none)).alarms;
  };
  const [started] = await sql<{ at: string }[]>`SELECT created_at AS at FROM gleaner.runs WHERE id = ${run}`;
  expect(await list(owner.accountId)).toEqual([
    {
      parser: { id: parserId, name: expect.any(String) },
      version: 1,
      host: 'a.example',
      state: 'degraded',
      fields: ['price'],
      since: new Date(started?.at ?? '').toISOString(),
    },
  ]);
  expect(await list(accountId)).toEqual([]);
});

test('a field that a repair did not find again is no all-clear until it is kept, dropped or back', async () => {
  const services = { ...opened.services, pool };
  const { sql } = services.db;
  const owner = await createTestAccount(services);
  const ctx = testContext(services, owner.accountId);
  const fields = { title: 'h1', price: '.price', stock: '.stock', maker: '.maker' };
  const parserId = await createTestParser(services, owner.accountId, [
    { fields },
    { fields: { ...fields, price: '.cost' } },
  ]);
  const none = { query: undefined, upload: undefined, headers: {} };
  const see = async (version: number, pages: number, filled: readonly string[], host = 'a.example') => {
    const [known] = await sql<{ state: HealthState; fields: HealthStats['fields'] }[]>`
      SELECT state, stats -> 'fields' AS fields FROM gleaner.parser_health
      WHERE parser_id = ${parserId} AND version = ${version} AND host = ${host}`;
    const seen = Array.from({ length: pages }, (_, seq) => ({
      host,
      url: `https://${host}/${seq}`,
      seq,
      fields: Object.keys(fields)
        .filter((path) => version < 3 || path !== 'stock')
        .map((path) => ({
          path,
          matched: filled.includes(path),
          value_count: filled.includes(path) ? 1 : 0,
          selector: null,
        })),
      error: undefined,
      baseline: known && toBaseline(known.state, known.fields),
    }));
    const notes = { parserId, version, deltas: makeDeltas('bat_1', seen), held: [] };
    await sql`SELECT ${sql(ENGINE)}.note_pages(ARRAY[ROW(${owner.accountId}, 1, ${JSON.stringify(notes)}::text::jsonb)::${sql(ENGINE)}.page_notes])`;
    await rollUpHealth(services);
  };
  const health = async (version: number) => {
    const { hosts } = await getParserHealth(ctx, { ...none, params: { id: parserId }, body: undefined });
    return hosts.find((one) => one.version === version && one.host === 'a.example');
  };
  const absent = async (version: number) =>
    (await health(version))?.fields.flatMap(({ path, absent_since: since }) =>
      since === null ? [] : [path],
    );
  const alarms = async () =>
    (await listAlarms(ctx, { ...none, params: undefined, body: undefined })).alarms.map(
      ({ version, state, fields: own }) => [version, state, own],
    );
  const decide = (decision: 'keep' | 'drop', ...paths: string[]) =>
    decideAbsentFields(ctx, { ...none, params: { id: parserId }, body: { fields: paths, decision } });

  await see(1, 40, ['title', 'price', 'stock', 'maker']);
  await see(1, 20, ['title']);
  const broken = await health(1);
  expect(broken).toMatchObject({ state: 'broken', is_current: false });
  await see(2, 30, ['title', 'price']);

  expect(await health(2)).toMatchObject({ state: 'degraded', is_current: true });
  expect((await health(2))?.fields.find(({ path }) => path === 'stock')?.absent_since).toBe(
    broken?.changed_at,
  );
  expect((await absent(2))?.toSorted()).toEqual(['maker', 'stock']);
  expect(await alarms()).toEqual([[2, 'degraded', expect.arrayContaining(['maker', 'stock'])]]);
  const [row] =
    await sql`SELECT state FROM gleaner.parser_health WHERE parser_id = ${parserId} AND version = 2`;
  expect(row).toEqual({ state: 'healthy' });

  await expect(decide('drop', 'title')).rejects.toThrow('title is not absent in version 2');
  expect(await decide('keep', 'maker')).toEqual({ version: 2 });
  expect(await absent(2)).toEqual(['stock']);
  expect(await decide('drop', 'stock')).toEqual({ version: 3 });
  await see(3, 5, ['title', 'price']);
  expect(await health(3)).toMatchObject({ state: 'healthy' });
  expect(await absent(3)).toEqual([]);
  const [latest] = await sql<{ schema: { fields: object } }[]>`
    SELECT schema FROM gleaner.parser_versions WHERE parser_id = ${parserId} AND version = 3`;
  expect(Object.keys(latest?.schema.fields ?? {})).toEqual(['title', 'price', 'maker']);
  expect(await alarms()).toEqual([]);

  // What is back needs no decision.
  await see(2, 1, ['title', 'price', 'stock']);
  expect(await absent(2)).toEqual([]);
});

/** Writes a page of each of these hosts, as a flush of a chunk does. */
async function seeHosts(parserId: string, hosts: readonly string[]): Promise<void> {
  const seen = hosts.map((host, seq) => ({
    host,
    url: 'https://shop.example/',
    seq,
    fields: [{ path: 'title', matched: true, value_count: 1, selector: null }],
    error: undefined,
    baseline: undefined,
  }));
  const notes = { parserId, version: 1, deltas: makeDeltas('bat_1', seen), held: [] };
  await opened.services.db
    .sql`SELECT ${opened.services.db.sql(ENGINE)}.note_pages(ARRAY[ROW(${accountId}, 1, ${JSON.stringify(notes)}::text::jsonb)::${opened.services.db.sql(ENGINE)}.page_notes])`;
}

async function pagesByHost(parserId: string): Promise<Record<string, number>> {
  const rows = await opened.services.db.sql<{ host: string; pages: string }[]>`
    SELECT host, pages FROM gleaner.parser_health WHERE parser_id = ${parserId}`;
  return Object.fromEntries(rows.map(({ host, pages }) => [host, Number(pages)]));
}

test('hosts beyond the limit count together, whichever round brings them', async () => {
  const hosts = Array.from({ length: 130 }, (_, place) => `h${place}.example`);
  await seeHosts('prs_many', hosts.slice(0, 99));
  await rollUpHealth(opened.services);
  for (const round of [hosts.slice(95, 101), hosts.slice(100), ['h0.example', 'h129.example']]) {
    await seeHosts('prs_many', round);
    await rollUpHealth(opened.services);
  }
  const pages = await pagesByHost('prs_many');
  expect(Object.keys(pages)).toHaveLength(101);
  expect(pages).toMatchObject({ 'h0.example': 2, 'h98.example': 2, 'h99.example': 1, '*': 32 });
});

test('what Postgres refuses of one parser stops no other', async () => {
  // Too long for an entry of the index, and compression does not help.
  const long = Array.from({ length: 4_000 }, () => Math.random().toString(36)[2] ?? 'x').join('');
  await seeHosts('prs_good', ['a.example']);
  await seeHosts('prs_bad', [long]);
  await seeHosts('prs_good', ['b.example']);
  await rollUpHealth(opened.services);
  expect(await pagesByHost('prs_good')).toEqual({ 'a.example': 1, 'b.example': 1 });
  expect(await pagesByHost('prs_bad')).toEqual({});
  expect(await opened.services.db.sql`SELECT 1 FROM gleaner.health_deltas`).toHaveLength(0);
});
