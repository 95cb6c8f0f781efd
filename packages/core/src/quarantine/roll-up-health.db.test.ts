import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestParser } from '../testing/submit-services.ts';
import { submitTestRun } from '../testing/submit-test-run.ts';
import {
  createTestAccount,
  openTestServices,
  testContext,
  type TestServices,
} from '../testing/test-services.ts';
import { getParserHealth } from '../health/read-health.ts';
import { resetParserHealth } from '../health/reset-health.ts';
import { makeDeltas } from '../health/judge-page.ts';
import { toBaseline, type HealthState, type HealthStats } from '../health/health-stats.ts';
import { rollUpHealth } from './roll-up-health.ts';

let opened: TestServices;
let accountId: string;
beforeAll(async () => {
  opened = await openTestServices();
  ({ accountId } = await createTestAccount(opened.services));
});
afterAll(() => opened.close());

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
  await sql`SELECT engine.note_pages(${accountId}, 1, ${JSON.stringify(notes)}::text::jsonb)`;
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
