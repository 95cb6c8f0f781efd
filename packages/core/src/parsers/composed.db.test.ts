import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOnce, openTestDoor, valueOf } from '../operations/testing/test-calls.ts';
import type { CallInput } from '../operations/call-input.ts';
import { createTestAccount } from '../testing/test-services.ts';

const SCHEMA = { fields: { name: '.name' } };
const HTML = '<x-a><template shadowrootmode="open"><b class="name">Lamp</b></template></x-a>';
const MIGRATION = join(import.meta.dirname, '../../../db/migrations/0160_composed.sql');

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
  await door.services.db.sql.unsafe(readFileSync(MIGRATION, 'utf8'));
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
