import { tables } from '@gleaner/db';
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOnce, openTestDoor, refusalOf, valueOf } from '../operations/testing/test-calls.ts';
import type { CallInput } from '../operations/call-input.ts';
import { createTestAccount } from '../testing/test-services.ts';

let door: Awaited<ReturnType<typeof openTestDoor>>;
let apiKey: string;
beforeAll(async () => {
  door = await openTestDoor();
  ({ apiKey } = await createTestAccount(door.services));
});
afterAll(() => door.close());

async function call(id: string, input: CallInput): Promise<{ id: string; version: number }> {
  return valueOf(await callOnce(door.services, id, { apiKey }, input)) as { id: string; version: number };
}

it.each(['_checked_at', '_removed_at'])('a new field is not named %s, which tables have', async (name) => {
  const within = { rows: { css: 'li', take: 'all', fields: { [name]: 'b' } } };
  for (const fields of [{ [name]: 'h1' }, within]) {
    const refused = await refusalOf(call('createParser', { body: { name: 'one', schema: { fields } } }));
    expect(refused).toMatchObject({ code: 'invalid_request', options: { field: 'schema' } });
  }

  const schema = { fields: { title: 'h1' } };
  const { id } = await call('createParser', { body: { name: 'old', schema } });
  const grown = { fields: { title: 'h1', [name]: 'h2' } };
  const update = (changed: object) => call('updateParser', { params: { id }, body: { schema: changed } });
  expect((await refusalOf(update(grown))).options.field).toBe('schema');
  // A release before let the parser have the field.
  const { parserVersions } = tables;
  await door.services.db.orm
    .update(parserVersions)
    .set({ schema: grown })
    .where(and(eq(parserVersions.parserId, id), eq(parserVersions.version, 1)));
  expect(await update({ fields: { ...grown.fields, price: '.price' } })).toMatchObject({ version: 2 });
});
