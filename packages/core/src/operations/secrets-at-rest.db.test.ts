import { tables } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestAccount } from '../testing/test-services.ts';
import { sealStored } from '../workflows/seal-stored.ts';
import type { OperationServices } from './operation-entry.ts';
import { openTestCall, openTestDoor, valueOf } from './testing/test-calls.ts';

let services: OperationServices;
let close: () => Promise<void>;
let apiKey: string;
/** Part of idempotency keys. */
let round = 0;

beforeAll(async () => {
  ({ services, close } = await openTestDoor());
  ({ apiKey } = await createTestAccount(services));
});
afterAll(() => close());

const CONFIG = {
  useBrowser: true,
  headers: { authorization: 'Bearer SECRET1' },
  cookies: { session: 'SECRET2' },
  actions: [{ type: { into: '#password', text: 'SECRET3' } }],
};
const URL = 'http://192.0.2.9/';

async function call(id: string, body: object, params: Record<string, string> = {}): Promise<unknown> {
  const opened = await openTestCall(services, id, { apiKey });
  try {
    return valueOf(
      await opened.run({ body, params, idempotencyKey: `${id}:${round}:${JSON.stringify(params)}` }),
    );
  } finally {
    opened.end();
  }
}

function idOf(value: unknown): string {
  return (value as { id: string }).id;
}

/** The tables in which any row shows a secret. */
async function findSecrets(): Promise<string[]> {
  const { sql } = services.db;
  const all = await sql<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'gleaner'`;
  const found: string[] = [];
  for (const { name } of all) {
    const [row] = await sql`SELECT FROM gleaner.${sql(name)} r WHERE r::text LIKE '%SECRET%' LIMIT 1`;
    if (row) found.push(name);
  }
  return found;
}

async function createAll() {
  round += 1;
  const plain = {
    type: 'parser',
    parserId: idOf(await call('createParser', { name: 'plain', schema: SCHEMA })),
  };
  const database = idOf(await call('createDatabase', { name: `d${round}`, kind: 'managed' }));
  const sink = { mode: 'database', database, table: 't' };
  const parser = idOf(
    await call('createParser', { name: 'p', schema: SCHEMA, scrape_config: CONFIG }, { nth: '2' }),
  );
  const cron = idOf(
    await call('createCron', {
      name: 'c',
      description: 'c',
      url: URL,
      schedule: '0 0 1 1 *',
      target: plain,
      scrape_config: CONFIG,
      sink,
    }),
  );
  const stages = [{ name: 'a', target: plain, scrape_config: CONFIG, sink }];
  const workflow = idOf(await call('createWorkflow', { name: 'w', stages }));
  return { plain, parser, cron, workflow, stages };
}
const SCHEMA = { fields: { h: 'h1' } };

test('what customers send along to pages is in no table of the database, and they still read and use it', async () => {
  const { plain, parser, cron, workflow, stages } = await createAll();
  await call('createBatch', { target: plain, urls: [URL], scrape_config: CONFIG });
  await call('createJob', { target: { type: 'parser', parserId: parser }, url: URL });
  await call('triggerCron', {}, { id: cron });
  await call('createWorkflowRun', { urls: [URL] }, { id: workflow });
  expect(await findSecrets()).toEqual([]);

  expect(await call('getParser', {}, { id: parser })).toMatchObject({ scrape_config: CONFIG });
  expect(await call('getCron', {}, { id: cron })).toMatchObject({ scrape_config: CONFIG });
  expect(await call('getWorkflow', {}, { id: workflow })).toMatchObject({ stages });
  expect(await call('listParsers', {})).toMatchObject({ parsers: [{ scrape_config: CONFIG }, {}] });

  await call('updateParser', { scrape_config: { ...CONFIG, retries: 1 } }, { id: parser });
  await call('updateCron', { name: 'changed', scrape_config: { ...CONFIG, retries: 1 } }, { id: cron });
  const again = stages.map((stage) => ({ ...stage, name: 'other' }));
  await call('updateWorkflow', { stages: again }, { id: workflow });
  expect(await findSecrets()).toEqual([]);
  expect(await call('getWorkflow', {}, { id: workflow })).toMatchObject({ stages: again, version: 2 });
});

test('rows of earlier versions are read as they are, and sealed once no such version runs', async () => {
  const { parser, cron, workflow, stages } = await createAll();
  const { orm, sql } = services.db;
  await orm.update(tables.parsers).set({ scrapeConfig: CONFIG }).where(eq(tables.parsers.id, parser));
  await orm.update(tables.crons).set({ scrapeConfig: CONFIG }).where(eq(tables.crons.id, cron));
  const definition = { stages, limits: {} };
  await orm.update(tables.workflows).set({ definition }).where(eq(tables.workflows.id, workflow));
  const look = async () => ({
    parser: await call('getParser', {}, { id: parser }),
    cron: await call('getCron', {}, { id: cron }),
    workflow: await call('getWorkflow', {}, { id: workflow }),
  });
  const before = await look();
  expect(before).toMatchObject({
    parser: { scrape_config: CONFIG },
    cron: { scrape_config: CONFIG },
    workflow: { stages },
  });

  await sql`CREATE SCHEMA engine_0123456789ab`;
  await sql`CREATE FUNCTION engine_0123456789ab.take_chunks() RETURNS void LANGUAGE sql AS ''`;
  await sql`INSERT INTO gleaner.engine_versions (schema) VALUES ('engine_0123456789ab')`;
  await sql`
    INSERT INTO gleaner.processes (id, kind, version, engine, host, pid)
    VALUES ('prc_before', 'api', '0', 'engine_0123456789ab', '', 1)`;
  expect(await sealStored(services)).toBe(0);
  // An earlier process could not open what is stored now either.
  const later = await createAll();
  for (const [table, id] of Object.entries({
    parsers: later.parser,
    crons: later.cron,
    workflows: later.workflow,
  })) {
    const [row] = await sql`SELECT r::text FROM gleaner.${sql(table)} r WHERE id = ${id}`;
    expect(row?.['r'], table).toMatch(/SECRET/);
  }
  await call('updateParser', { scrape_config: CONFIG }, { id: later.parser });
  expect(await call('getParser', {}, { id: later.parser })).toMatchObject({ scrape_config: CONFIG });
  await sql`DELETE FROM gleaner.processes`;
  expect(await sealStored(services)).toBe(6);
  expect(await sealStored(services)).toBe(0);
  expect(await findSecrets()).toEqual([]);
  expect(await look()).toEqual(before);
});
