import { tables } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limitStateOf } from '../platform/rate-limits/rate-limiter.ts';
import { createKey } from '../accounts/keys/issue-keys.ts';
import { createTestAccount } from '../testing/test-services.ts';
import type { CallResult, OperationServices } from './operation-entry.ts';
import { callOnce, formOf, openTestCall, openTestDoor, refusalOf, valueOf } from './testing/test-calls.ts';

let services: OperationServices;
let close: () => Promise<void>;
let accountId: string;
let apiKey: string;

beforeAll(async () => {
  ({ services, close } = await openTestDoor());
  ({ accountId, apiKey } = await createTestAccount(services));
});
afterAll(() => close());

const SCHEMA = { fields: { title: 'h1' } };

function idOf(result: CallResult): string {
  const { id } = valueOf(result) as { id: string };
  return id;
}

async function createParser(by = apiKey): Promise<string> {
  return idOf(
    await callOnce(services, 'createParser', { apiKey: by }, { body: { name: 'p', schema: SCHEMA } }),
  );
}

describe('a call', () => {
  test('opens only with a known key, and records its use', async () => {
    for (const wrong of [undefined, 'nonsense'])
      expect(await refusalOf(openTestCall(services, 'getCredits', { apiKey: wrong }))).toMatchObject({
        code: 'unauthorized',
      });
    expect(await callOnce(services, 'getCredits', { apiKey })).toMatchObject({
      status: 200,
      answer: { kind: 'json', value: { creditBalance: 1_000 } },
      isReplayed: false,
    });
    await expect
      .poll(async () => {
        const [key] = await services.db.orm
          .select()
          .from(tables.apiKeys)
          .where(eq(tables.apiKeys.accountId, accountId));
        return key?.lastUsedAt ?? null;
      })
      .not.toBeNull();
  });

  test('opens as often per minute as its account allows, before any input is read', async () => {
    const limited = await createTestAccount(services, { requestsPerMinute: 2 });
    const open = () => openTestCall(services, 'getCredits', limited);
    expect((await open()).rateLimit).toMatchObject({ limit: 2, remaining: 1 });
    expect((await open()).rateLimit).toMatchObject({ limit: 2, remaining: 0 });
    // A further key of the account brings no further calls.
    const { key } = await createKey(services.db.orm, { accountId: limited.accountId, name: 'second' });
    const refusal = await refusalOf(openTestCall(services, 'getCredits', { ...limited, apiKey: key }));
    expect(refusal.code).toBe('rate_limit_exceeded');
    expect(limitStateOf(refusal)).toMatchObject({ limit: 2, remaining: 0 });
  });

  test('of a public operation opens without a key, as often as its IP address allows', async () => {
    const few = { ...services, config: { ...services.config, publicRequestsPerMinute: 1 } };
    const { answer } = await callOnce(few, 'getApi', {}, { params: { id: 'photoapp-profile' } });
    expect(answer).toMatchObject({ kind: 'json', value: { id: 'photoapp-profile' } });
    expect(await refusalOf(callOnce(few, 'listApis', {}))).toMatchObject({ code: 'rate_limit_exceeded' });
    const elsewhere = await callOnce(few, 'listApis', { address: '192.0.2.2' });
    expect(elsewhere.status).toBe(200);
  });
});

describe('an input is validated', () => {
  test.each([
    ['getParser', { params: { id: '' } }, 'id'],
    ['listParsers', { query: { limit: '1000' } }, 'limit'],
    ['createParser', { body: { name: 'p' } }, 'schema'],
    ['createParser', { body: 'text' }, 'body'],
    ['createParser', {}, 'name'],
  ])('%s names the wrong field of %j', async (id, input, field) => {
    const refusal = await refusalOf(callOnce(services, id, { apiKey }, input));
    expect(refusal.toBody()).toMatchObject({ error: 'invalid request', field, detail: expect.any(String) });
  });

  test('texts that Postgres cannot store are rejected', async () => {
    const input = { body: { name: 'a\u0000b', schema: SCHEMA } };
    expect((await refusalOf(callOnce(services, 'createParser', { apiKey }, input))).options.field).toBe(
      'name',
    );
  });
});

test('another account’s resource is not found', async () => {
  const id = await createParser();
  const stranger = await createTestAccount(services);
  for (const operation of ['getParser', 'deleteParser', 'listParserVersions'])
    expect(await refusalOf(callOnce(services, operation, stranger, { params: { id } }))).toMatchObject({
      code: 'not_found',
    });
  expect(idOf(await callOnce(services, 'getParser', { apiKey }, { params: { id } }))).toBe(id);
});

describe('an Idempotency-Key', () => {
  test('returns the first answer again, and rejects another body', async () => {
    const create = (name: string) =>
      callOnce(
        services,
        'createParser',
        { apiKey },
        { body: { name, schema: SCHEMA }, idempotencyKey: 'parser' },
      );
    const first = await create('a');
    expect(first).toMatchObject({ status: 201, isReplayed: false });
    expect(await create('a')).toEqual({ ...first, isReplayed: true });
    expect(await refusalOf(create('b'))).toMatchObject({ code: 'idempotency_conflict' });
  });

  test('stores an answer with a secret encrypted', async () => {
    const body = { url: 'https://hooks.example.com/', events: ['job.finished'] };
    const create = () => callOnce(services, 'createWebhook', { apiKey }, { body, idempotencyKey: 'webhook' });
    const first = await create();
    expect(valueOf(await create())).toEqual(valueOf(first));
    const [stored] = await services.db.orm
      .select({ answer: tables.idempotencyKeys.answer })
      .from(tables.idempotencyKeys)
      .where(eq(tables.idempotencyKeys.key, 'webhook'));
    expect(typeof stored?.answer).toBe('string');
  });

  test('distinguishes uploads by their content', async () => {
    const target = JSON.stringify({ type: 'parser', parserId: await createParser() });
    const upload = (text: string) =>
      callOnce(
        services,
        'createBatch',
        { apiKey },
        {
          upload: formOf({ target }, { name: 'file', contentType: 'application/x-ndjson', text }),
          idempotencyKey: 'batch',
        },
      );
    const first = await upload('http://a.test/1\n');
    expect(first).toMatchObject({ status: 202, isReplayed: false });
    expect(await upload('http://a.test/1\n')).toEqual({ ...first, isReplayed: true });
    expect(await refusalOf(upload('http://a.test/2\n'))).toMatchObject({ code: 'idempotency_conflict' });
  });

  test('is free again after a call that failed', async () => {
    const create = (name: string, idempotencyKey?: string) =>
      callOnce(
        services,
        'createDatabase',
        { apiKey },
        { body: { name, kind: 'managed' }, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) },
      );
    await create('taken');
    expect(await refusalOf(create('taken', 'database'))).toMatchObject({ code: 'name_taken' });
    expect(await create('free', 'database')).toMatchObject({ status: 201, isReplayed: false });
  });

  test.each(['', 'k'.repeat(256)])('of the wrong length is rejected', async (idempotencyKey) => {
    const body = { name: 'p', schema: SCHEMA };
    const call = callOnce(services, 'createParser', { apiKey }, { body, idempotencyKey });
    expect((await refusalOf(call)).options.field).toBe('Idempotency-Key');
  });
});

test('a metered call returns the credits used and the balance', async () => {
  const parserId = await createParser();
  const upload = formOf({}, { name: 'html', contentType: 'text/html', text: '<h1>One</h1>' });
  const { answer, credits } = await callOnce(
    services,
    'parseHtml',
    { apiKey },
    { params: { parserId }, upload },
  );
  expect(answer).toMatchObject({ kind: 'json-text', jsonText: '{"title":"One"}' });
  expect(credits).toEqual({ used: 0, remaining: 1_000 - 1 + 1 });
  expect((await callOnce(services, 'getCredits', { apiKey })).credits).toBeUndefined();
});

describe('streams', () => {
  const MAX_EXPORTS = 20;
  const MAX_EVENT_STREAMS = 100;

  async function createBatch(by: string): Promise<string> {
    const target = { type: 'parser', parserId: await createParser(by) };
    const body = { target, urls: ['http://a.test/1'] };
    return idOf(await callOnce(services, 'createBatch', { apiKey: by }, { body }));
  }

  test.each([
    ['exportBatch', MAX_EXPORTS],
    ['watchBatch', MAX_EVENT_STREAMS],
  ])('%s is counted until its call ends, read or not', async (operation, most) => {
    const owner = await createTestAccount(services);
    const id = await createBatch(owner.apiKey);
    const open = () => openTestCall(services, operation, owner);
    const calls = await Promise.all(Array.from({ length: most }, open));
    await Promise.all(calls.map((call) => call.run({ params: { id } })));
    const oneMore = await open();
    expect(await refusalOf(oneMore.run({ params: { id } }))).toMatchObject({
      code: 'concurrency_limit_exceeded',
    });
    for (let times = 0; times < 2; times += 1) calls[0]?.end();
    expect((await oneMore.run({ params: { id } })).status).toBe(200);
    for (const call of [...calls, oneMore]) call.end();
  });

  test('that fail or exceed the limit are not counted', async () => {
    const owner = await createTestAccount(services);
    const id = await createBatch(owner.apiKey);
    for (let times = 0; times <= MAX_EXPORTS; times += 1) {
      const call = await openTestCall(services, 'exportBatch', owner);
      expect(await refusalOf(call.run({ params: { id: 'bat_absent' } }))).toMatchObject({
        code: 'not_found',
      });
      const ended = await openTestCall(services, 'exportBatch', owner);
      ended.end();
      await ended.run({ params: { id } });
    }
    const gone = await openTestCall(services, 'exportBatch', { ...owner, signal: AbortSignal.abort() });
    await expect(gone.run({ params: { id } })).rejects.toThrow('aborted');
    const last = await openTestCall(services, 'exportBatch', owner);
    expect((await last.run({ params: { id } })).status).toBe(200);
    last.end();
  });

  test('of events continue after the last event that the client received', async () => {
    const owner = await createTestAccount(services);
    const id = await createBatch(owner.apiKey);
    const watch = async (lastEventId?: string) => {
      const call = await openTestCall(services, 'watchBatch', owner);
      const { answer } = await call.run({ params: { id }, lastEventId });
      if (answer.kind !== 'events') throw new Error('no events');
      return { call, events: answer.events[Symbol.asyncIterator]() };
    };
    const first = await watch();
    const { value: known } = await first.events.next();
    expect(known).toMatchObject({ event: 'progress' });
    const second = await watch(known?.id);
    const next = second.events.next();
    await callOnce(services, 'cancelBatch', owner, { params: { id } });
    expect((await next).value).toMatchObject({ event: 'finished', data: { status: 'cancelled' } });
    for (const { call, events } of [first, second]) {
      await events.return?.();
      call.end();
    }
  });
});
