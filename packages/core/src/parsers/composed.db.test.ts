import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOnce, openTestDoor, valueOf } from '../operations/testing/test-calls.ts';
import type { CallInput } from '../operations/call-input.ts';
import { submitTestRun } from '../testing/submit-test-run.ts';
import { createTestAccount } from '../testing/test-services.ts';

const SCHEMA = { fields: { name: '.name' } };
const HTML = '<x-a><template shadowrootmode="open"><b class="name">Lamp</b></template></x-a>';

/** Runs the statements of a migration again, as an upgrade does. */
async function migrate(name: string): Promise<void> {
  const file = join(import.meta.dirname, `../../../db/migrations/${name}.sql`);
  await door.services.db.sql.unsafe(readFileSync(file, 'utf8'));
}

let door: Awaited<ReturnType<typeof openTestDoor>>;
let apiKey: string;
beforeAll(async () => {
  door = await openTestDoor();
  ({ apiKey } = await createTestAccount(door.services));
});
afterAll(() => door.close());

interface Answer {
  id: string;
  scrape_config: object;
  name: string | null;
}

async function call(id: string, input: CallInput): Promise<Answer> {
  return valueOf(await callOnce(door.services, id, { apiKey }, input)) as Answer;
}

async function nameRead(parserId: string): Promise<string | null> {
  const input = { params: { parserId }, query: {}, body: { html: HTML } };
  const { answer } = await callOnce(door.services, 'parseHtml', { apiKey }, input);
  if (answer.kind !== 'json-text') throw new Error(`the answer is of the kind ${answer.kind}`);
  return (JSON.parse(answer.jsonText) as Answer).name;
}

it('parsers that exist at the upgrade read pages as they did, until a change says otherwise', async () => {
  const create = (scrape_config: object) =>
    call('createParser', { body: { name: 'lamps', schema: SCHEMA, scrape_config } });
  const old = await create({ country: 'de' });
  const told = await create({ composed: true });
  await migrate('0160_composed');
  const made = await create({});

  expect(await call('getParser', { params: { id: old.id } })).toMatchObject({
    scrape_config: { country: 'de', composed: false },
  });
  expect([await nameRead(old.id), await nameRead(told.id), await nameRead(made.id)]).toEqual([
    null,
    'Lamp',
    'Lamp',
  ]);

  const change = (scrape_config: object) =>
    call('updateParser', { params: { id: old.id }, body: { scrape_config } });
  expect(await change({ country: 'at' })).toMatchObject({
    scrape_config: { country: 'at', composed: false },
  });
  expect(await nameRead(old.id)).toBeNull();
  expect(await change({ composed: true })).toMatchObject({ scrape_config: { composed: true } });
  expect(await nameRead(old.id)).toBe('Lamp');
  expect(await change({})).toMatchObject({ scrape_config: {} });
  expect(await nameRead(old.id)).toBe('Lamp');
});

it('runs that have begun at the upgrade and crawls of saved workflows go on as they began', async () => {
  const { services } = door;
  const { sql } = services.db;
  const { accountId } = await createTestAccount(services);
  const inputs = ['https://a.example/'];
  const submit = () =>
    submitTestRun(services, accountId, inputs, { target: { type: 'schema', schema: SCHEMA } });
  const [begun, ended] = [await submit(), await submit()];
  await sql`UPDATE gleaner.runs SET state = 'succeeded', finished_at = now() WHERE id = ${ended.id}`;
  const told = { scrape_config: { composed: true } };
  const parser = await call('createParser', { body: { name: 'lamps', schema: SCHEMA } });
  const crawl = { crawl: {}, routes: [{ name: 'lamps', match: '/*', schema: SCHEMA }] };
  const rest = {
    name: 'later',
    target: { type: 'parser', parserId: parser.id },
    from: { stage: 'site', path: '$.name' },
  };
  const save = (stage: object) =>
    call('createWorkflow', { body: { name: 'site', stages: [{ name: 'site', ...crawl, ...stage }, rest] } });
  const workflows = [await save({}), await save({ scrape_config: { country: 'de' } }), await save(told)];
  await migrate('0167_composed_runs');

  const configOf = async (id: string) =>
    (await sql<{ config: object }[]>`SELECT config FROM gleaner.runs WHERE id = ${id}`)[0]?.config;
  expect(await configOf(begun.id)).toEqual({ composed: false });
  expect(await configOf(ended.id)).toEqual({});
  const configs = workflows.map(async ({ id }) => {
    const { stages } = (await call('getWorkflow', { params: { id } })) as unknown as { stages: object[] };
    return stages.map((stage) => ('scrape_config' in stage ? stage.scrape_config : undefined));
  });
  expect(await Promise.all(configs)).toEqual([
    [{ composed: false }, undefined],
    [{ country: 'de', composed: false }, undefined],
    [{ composed: true }, undefined],
  ]);
});
