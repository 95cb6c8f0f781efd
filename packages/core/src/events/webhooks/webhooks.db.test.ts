import { ENGINE } from '@gleaner/db';
import { readFileSync } from 'node:fs';
import { AppError, createWebhook as operation, type WebhookEvent } from '@gleaner/contracts';
import { createTestDatabase } from '@gleaner/db/testing';
import { Webhook } from 'standardwebhooks';
import { decodeTime } from 'ulid';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccount, updateAccount } from '../../accounts/change-accounts.ts';
import { loadConfig } from '../../platform/config/load-config.ts';
import type { Context, Services } from '../../platform/context.ts';
import { claimDeliveries } from './claim-deliveries.ts';
import { grantCredits } from '../../accounts/credits/credits.ts';
import { createId } from '../../platform/ids.ts';
import { createLogger } from '../../platform/log/log.ts';
import { retentionRules } from '../../platform/retention/retention-rules.ts';
import { sweepRetention } from '../../platform/retention/sweep-retention.ts';
import { createWebhook, deleteWebhook, updateWebhook } from './change-webhooks.ts';
import { createWebhookSender, type WebhookRequest } from './deliver-webhooks.ts';
import { getWebhook, listWebhooks } from './webhook-record.ts';
import { getWebhookSecret, rotateWebhookSecret } from './webhook-secret.ts';
import {
  listDeliveries,
  listWebhookDeliveries,
  replayDelivery,
  replayWebhookDelivery,
} from './deliveries.ts';

const test = await createTestDatabase();
const { sql } = test.db;
afterAll(() => test.close());

const log = createLogger('test', 'silent');
const config = loadConfig({ GLEANER_SECRET_KEY: '7'.repeat(64) });
const services = { config, db: test.db, log, now: () => new Date() } as unknown as Services;
function contextOf(accountId: string): Context {
  return {
    services,
    accountId,
    keyId: 'key',
    requestId: 'req',
    log,
    signal: new AbortController().signal,
  };
}
async function newContext() {
  return contextOf((await createAccount(test.db, { name: createId('account'), credits: 0 })).account.id);
}
const ctx = await newContext();
const none = { params: undefined, query: undefined, body: undefined, upload: undefined };

function subscribe(url: string, events: WebhookEvent[] = ['batch.finished'], by = ctx) {
  return createWebhook(by, { ...none, body: { url, events } });
}

async function emit(event: string, url: string | null = null, by = ctx): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    SELECT ${sql(ENGINE)}.emit_event(${by.accountId}, ${event}, '{"id": "bat_1"}', 'bat_1', ${url}) AS count`;
  return row?.count ?? 0;
}

/** Moves everything that waits into the past, as if so much time had passed. */
async function pass(hours: number): Promise<void> {
  await sql`
    UPDATE gleaner.outbox SET round_at = round_at - ${hours} * interval '1 hour',
      claimed_until = claimed_until - ${hours} * interval '1 hour', next_attempt_at = due_at - ${hours} * interval '1 hour'
    WHERE state = 'pending'`;
  await sql`UPDATE gleaner.webhooks SET resumes_at = resumes_at - ${hours} * interval '1 hour',
    failing_since = failing_since - ${hours} * interval '1 hour'`;
  await sql`UPDATE gleaner.webhook_lanes SET due_at = due_at - ${hours} * interval '1 hour'`;
}

/** Sends what is due, to endpoints with the given responses. */
async function deliver(answer: (request: WebhookRequest) => number | Error) {
  const sent: WebhookRequest[] = [];
  const sender = createWebhookSender({
    db: test.db,
    config,
    log,
    now: () => new Date(),
    send: (request) => {
      sent.push(request);
      const given = answer(request);
      return given instanceof Error
        ? Promise.reject(given)
        : Promise.resolve({ status: given, body: 'ok\0' });
    },
  });
  await sender.tick();
  await sender.close();
  return sent;
}

async function deliveries(by = ctx) {
  return (await listDeliveries(by, { ...none, query: { limit: 100 } })).deliveries;
}

beforeEach(async () => {
  await sql`DELETE FROM gleaner.outbox`;
  await sql`DELETE FROM gleaner.webhooks`;
});

describe('a webhook', () => {
  it('shows its secret once, stores it encrypted, and only its account sees it', async () => {
    const made = await subscribe('https://a.example/hook');
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const found = await getWebhook(ctx, { ...none, params: { id: made.id } });
    expect(JSON.stringify(found)).not.toContain('whsec_');
    const search = async (text: string) =>
      (await listWebhooks(ctx, { ...none, query: { limit: 20, search: text } })).webhooks.map(({ id }) => id);
    expect(await search('A.example/ho')).toContain(made.id);
    expect(await search('other.example')).toEqual([]);
    const [row] = await sql<{ secret: Buffer }[]>`SELECT secret FROM gleaner.webhooks`;
    expect(row?.secret.toString('latin1')).not.toContain('whsec_');
    const stranger = await newContext();
    expect((await listWebhooks(stranger, { ...none, query: { limit: 20 } })).webhooks).toEqual([]);
    for (const attempt of [
      () => getWebhook(stranger, { ...none, params: { id: made.id } }),
      () => updateWebhook(stranger, { ...none, params: { id: made.id }, body: { enabled: false } }),
      () => deleteWebhook(stranger, { ...none, params: { id: made.id } }),
      () => listWebhookDeliveries(stranger, { ...none, params: { id: made.id }, query: { limit: 1 } }),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    await deleteWebhook(ctx, { ...none, params: { id: made.id } });
    await expect(getWebhook(ctx, { ...none, params: { id: made.id } })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it.each(['ftp://a/', 'https://user@a/', 'https://:pass@a/', 'file:///etc/passwd', 'a', 'http://'])(
    'may not be at %s',
    (url) => {
      expect(operation.body.safeParse({ url, events: ['job.finished'] }).success).toBe(false);
    },
  );
});

describe('an event', () => {
  it('goes to subscribed webhooks and the run’s own URL, if its transaction commits', async () => {
    await subscribe('https://wants.example/', ['batch.finished', 'job.finished']);
    await subscribe('https://other.example/', ['job.finished']);
    const off = await subscribe('https://off.example/');
    await updateWebhook(ctx, { ...none, params: { id: off.id }, body: { enabled: false } });
    await subscribe('https://stranger.example/', ['batch.finished'], await newContext());
    expect(await emit('batch.finished', 'https://own.example/')).toBe(2);
    await expect(
      sql.begin(async (tx) => {
        await tx`SELECT ${tx(ENGINE)}.emit_event(${ctx.accountId}, 'batch.finished', '{}')`;
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    const sent = await deliver(() => 204);
    expect(sent.map((request) => request.url).sort()).toEqual([
      'https://own.example/',
      'https://wants.example/',
    ]);
    expect(await deliver(() => 204)).toEqual([]);
  });

  it('has a Standard Webhooks signature by the webhook’s secret, or the account’s for a run’s URL', async () => {
    const { secret } = await subscribe('https://hook.example/');
    await emit('batch.finished', 'https://own.example/');
    const { secret: ownSecret } = await getWebhookSecret(ctx, none);
    expect((await getWebhookSecret(ctx, none)).secret).toBe(ownSecret);
    const sent = await deliver(() => 200);
    for (const { url, body, headers } of sent) {
      const verified = new Webhook(url.includes('own') ? ownSecret : secret).verify(body, { ...headers });
      expect(verified).toMatchObject({ type: 'batch.finished', data: { id: 'bat_1' } });
    }
    expect(sent).toHaveLength(2);
    expect((await rotateWebhookSecret(ctx, none)).secret).not.toBe(ownSecret);
  });

  it('has an identifier like every other, in order of time', async () => {
    const from = Date.now();
    await sql`SELECT ${sql(ENGINE)}.emit_event(${ctx.accountId}, 'a', '{}', NULL, 'http://' || n) FROM generate_series(1, 50) n`;
    const rows = await sql<{ id: string }[]>`SELECT id FROM gleaner.outbox`;
    expect(rows.every((row) => /^dlv_[0-9a-hjkmnp-tv-z]{26}$/.test(row.id))).toBe(true);
    expect(new Set(rows.map((row) => row.id)).size).toBe(50);
    const times = rows.map(({ id }) => decodeTime(id.slice(4)));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(from);
    expect(Math.max(...times)).toBeLessThanOrEqual(Date.now() + 1);
  });

  it('reports low credits once, and again after a grant was used up', async () => {
    const poor = contextOf((await createAccount(test.db, { name: 'poor', credits: 95 })).account.id);
    await subscribe('https://low.example/', ['credits.low'], poor);
    let uses = 0;
    const use = async (credits: number): Promise<void> => {
      uses += 1;
      await sql`UPDATE gleaner.accounts SET reserved = reserved + ${credits} + 1 WHERE id = ${poor.accountId}`;
      await sql`SELECT ${sql(ENGINE)}.settle_credits(ARRAY[ROW(
        ${poor.accountId}, ${credits}, 1, ${`req_${uses}`}, 0, 0, 0)::${sql(ENGINE)}.settlement])`;
    };
    const told = async (): Promise<unknown[]> => {
      const rows = await sql<{ payload: string }[]>`
        SELECT payload FROM gleaner.outbox WHERE account_id = ${poor.accountId} ORDER BY created_at`;
      return rows.map(({ payload }) => (JSON.parse(payload) as { data: unknown }).data);
    };
    await use(85);
    expect(await told()).toEqual([]);
    await use(3);
    await use(2);
    expect(await told()).toEqual([{ balance: 7, reserved: 0, threshold: 10 }]);
    await grantCredits(test.db.orm, { accountId: poor.accountId, credits: 10 });
    await use(6);
    expect(await told()).toEqual([expect.anything(), { balance: 9, reserved: 0, threshold: 11 }]);
  });

  it('of a finished run contains the run’s record', async () => {
    const runId = createId('batch');
    await sql`INSERT INTO gleaner.runs (id, no, account_id, kind, state, mode, queue, target, config, webhook_url, retries, price, budget, total, last_served, succeeded, failed, used, finished_at)
      VALUES (${runId}, 7, ${ctx.accountId}, 'batch', 'succeeded', 'return', 'q', '{}', '{}', 'https://own.example/', 0, 1, 3, 3, 1, 2, 1, 2, now())`;
    await sql`
      INSERT INTO gleaner.quarantined_rows (run_no, seq, account_id, parser_id, version, host, state, url, answer, reason, fetched_at)
      SELECT 7, n, ${ctx.accountId}, 'prs_1', 1, 'a.test', (ARRAY['held', 'suspect', 'discarded'])[n], 'http://a.test/', '{}', 'odd', now()
      FROM generate_series(1, 3) n`;
    await sql`SELECT ${sql(ENGINE)}.emit_run_event(7)`;
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({
      run_id: runId,
      event: 'batch.finished',
      webhook_id: null,
      status: 'pending',
    });
    expect(delivery?.payload).toMatchObject({
      type: 'batch.finished',
      data: {
        id: runId,
        status: 'succeeded',
        counts: { total: 3, succeeded: 2, failed: 1, cancelled: 0 },
        has_failures: true,
        held: 2,
        credits: { used: 2 },
        finished_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      },
    });
  });
});

describe('a delivery', () => {
  it('is logged with the response', async () => {
    const { id } = await subscribe('https://hook.example/');
    await emit('batch.finished');
    await deliver(() => 200);
    const { deliveries: found } = await listWebhookDeliveries(ctx, {
      ...none,
      params: { id },
      query: { limit: 20, status: 'delivered' },
    });
    expect(found).toMatchObject([
      { attempts: 1, response_status: 200, response_body: 'ok', error: null, next_attempt_at: null },
    ]);
  });

  it('is logged with what lets it reach an address that is refused', async () => {
    await emit('batch.finished', 'https://own.example/');
    await deliver(() => new AppError('fetch_failed', { detail: 'target not allowed', hint: 'Ask.' }));
    expect(await deliveries()).toMatchObject([{ error: 'target not allowed. Ask.' }]);
  });

  it('is tried for about 24 hours with growing waits, then fails', async () => {
    await emit('batch.finished', 'https://own.example/');
    const times: number[] = [];
    let hours = 0;
    for (let round = 0; round < 20; round += 1) {
      const answers = [500, 301, 404, new Error('refused')];
      const sent = await deliver(() => answers[round % 4] ?? 500);
      if (sent.length === 0) break;
      times.push(hours);
      const [delivery] = await deliveries();
      if (delivery?.next_attempt_at === null) break;
      const wait = (Date.parse(delivery?.next_attempt_at ?? '') - Date.now()) / 3_600_000 + 0.0001;
      await pass(wait);
      hours += wait;
    }
    expect(times).toHaveLength(10);
    expect(times.at(-1)).toBeGreaterThan(20);
    expect(times.at(-1)).toBeLessThan(24.1);
    expect(times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0))).toBe(true);
    expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: 10 }]);
  });

  it('disables its webhook after a 410 response, which ends its waiting deliveries', async () => {
    const { id } = await subscribe('https://hook.example/');
    await emit('batch.finished');
    await sql`UPDATE gleaner.outbox SET next_attempt_at = now() - interval '1 second'`;
    await emit('batch.finished');
    await sql`UPDATE gleaner.outbox SET next_attempt_at = now() + interval '1 hour' WHERE id = (SELECT max(id) FROM gleaner.outbox)`;
    await deliver(() => 410);
    expect(await getWebhook(ctx, { ...none, params: { id } })).toMatchObject({
      enabled: false,
      disabled_reason: expect.stringContaining('410') as string,
    });
    expect((await deliveries()).map((delivery) => delivery.status)).toEqual(['failed', 'failed']);
    expect(await emit('batch.finished')).toBe(0);
    const [first] = await deliveries();
    const replay = () => replayWebhookDelivery(ctx, { ...none, params: { id, deliveryId: first?.id ?? '' } });
    await expect(replay()).rejects.toMatchObject({ code: 'invalid_request' });
    await updateWebhook(ctx, {
      ...none,
      params: { id },
      body: { enabled: true, url: 'https://new.example/' },
    });
    expect(await replay()).toMatchObject({ status: 'pending', url: 'https://new.example/' });
    expect((await deliver(() => 200)).map((request) => request.url)).toEqual(['https://new.example/']);
  });

  it('can be replayed by its account only, with the same id and payload', async () => {
    await emit('batch.finished', 'https://own.example/');
    const [before] = await deliver(() => 200);
    const [delivery] = await deliveries();
    const params = { deliveryId: delivery?.id ?? '' };
    const stranger = await newContext();
    await expect(replayDelivery(stranger, { ...none, params })).rejects.toMatchObject({ code: 'not_found' });
    await replayDelivery(ctx, { ...none, params });
    const [after] = await deliver(() => 200);
    expect(after?.body).toBe(before?.body);
    expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id']);
  });

  it('is claimed by one process at a time, and again after that process died', async () => {
    await sql`SELECT ${sql(ENGINE)}.emit_event(${ctx.accountId}, 'a', '{}', NULL, 'http://' || n) FROM generate_series(1, 8) n`;
    const [one, two] = await Promise.all([deliver(() => 200), deliver(() => 200)]);
    const rest = await deliver(() => 200);
    expect([...one, ...two, ...rest].map(({ url }) => url).sort()).toEqual(
      Array.from({ length: 8 }, (_, index) => `http://${index + 1}`),
    );
    await sql`DELETE FROM gleaner.outbox`;
    await emit('a', 'http://dies/');
    let lost: (() => void) | undefined;
    const dying = createWebhookSender({
      db: test.db,
      config,
      log,
      now: () => new Date(),
      send: () => new Promise((resolve) => (lost = () => resolve({ status: 500 }))),
    });
    await dying.tick();
    await expect.poll(() => lost !== undefined).toBe(true);
    expect(await deliver(() => 200)).toHaveLength(0);
    await pass(0.02);
    expect(await deliver(() => 200)).toHaveLength(1);
    lost?.();
    await dying.close();
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  it('of a slow webhook does not delay others', async () => {
    await subscribe('https://slow.example/', ['job.finished']);
    await subscribe('https://quick.example/');
    await sql`SELECT ${sql(ENGINE)}.emit_event(${ctx.accountId}, 'job.finished', '{}') FROM generate_series(1, 100)`;
    const sent: string[] = [];
    let release = (): void => undefined;
    const slow = new Promise<void>((resolve) => (release = resolve));
    const sender = createWebhookSender({
      db: test.db,
      config,
      log,
      now: () => new Date(),
      send: async ({ url }) => {
        sent.push(url);
        if (url.includes('slow')) await slow;
        return { status: 200 };
      },
    });
    for (let tick = 0; tick < 5; tick += 1) await sender.tick();
    expect(sent.length).toBeLessThanOrEqual(8);
    await emit('batch.finished');
    await sender.tick();
    await expect.poll(() => sent.at(-1)).toBe('https://quick.example/');
    release();
    await sender.close();
  });

  it('is one of at most four under way to its webhook, over all processes', async () => {
    await subscribe('https://slow.example/');
    await sql`SELECT ${sql(ENGINE)}.emit_event(${ctx.accountId}, 'batch.finished', '{}') FROM generate_series(1, 30)`;
    let underWay = 0;
    let most = 0;
    let sent = 0;
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const senders = Array.from({ length: 3 }, () =>
      createWebhookSender({
        db: test.db,
        config,
        log,
        now: () => new Date(),
        send: async () => {
          underWay += 1;
          most = Math.max(most, underWay);
          await gate;
          underWay -= 1;
          sent += 1;
          return { status: 200 };
        },
      }),
    );
    for (let round = 0; round < 4; round += 1) await Promise.all(senders.map((sender) => sender.tick()));
    await expect.poll(() => underWay).toBe(4);
    release();
    await expect
      .poll(async () => {
        await Promise.all(senders.map((sender) => sender.tick()));
        return sent;
      })
      .toBe(30);
    await Promise.all(senders.map((sender) => sender.close()));
    expect(most).toBe(4);
  });

  it('of a deleted webhook is gone at once, and removed later while events go on', async () => {
    const { id } = await subscribe('https://gone.example/');
    await sql`SELECT ${sql(ENGINE)}.emit_event(${ctx.accountId}, 'batch.finished', '{}') FROM generate_series(1, 3000)`;
    await deleteWebhook(ctx, { ...none, params: { id } });
    expect(await deliveries()).toEqual([]);
    expect(await deliver(() => 200)).toEqual([]);
    // Removal holds nothing that an event of the account needs.
    const [rule] = retentionRules(loadConfig({}));
    await test.db.orm.transaction(async (tx) => {
      expect(await rule?.remove(tx, 0, 2_000)).toBe(2_000);
      const other = await sql<{ count: number }[]>`
        SELECT ${sql(ENGINE)}.emit_event(${ctx.accountId}, 'batch.finished', '{}', NULL, 'https://run.example/') AS count`;
      expect(other).toMatchObject([{ count: 1 }]);
    });
    await sweepRetention({ db: test.db, log }, retentionRules(loadConfig({})));
    expect(await sql`SELECT id FROM gleaner.webhooks WHERE id = ${id}`).toEqual([]);
    expect(await sql`SELECT count(*)::int AS left FROM gleaner.outbox WHERE webhook_id = ${id}`).toEqual([
      { left: 0 },
    ]);
  });

  it('is forgotten 30 days after it ended', async () => {
    await emit('a', 'http://a/');
    await emit('a', 'http://b/');
    await deliver(({ url }) => (url === 'http://a/' ? 200 : 500));
    await sql`UPDATE gleaner.outbox SET created_at = now() - interval '31 days'`;
    const rules = retentionRules(loadConfig({}));
    expect(await sweepRetention({ db: test.db, log }, rules)).toMatchObject({ deliveries: 1 });
    expect(await deliveries()).toMatchObject([{ status: 'pending' }]);
  });
});

it('stays delivered when its replay is cancelled', async () => {
  const own = await newContext();
  const { id } = await subscribe('https://kept.example/', ['batch.finished'], own);
  await emit('batch.finished', null, own);
  await deliver(() => 200);
  const read = async () => (await listDeliveries(own, { ...none, query: { limit: 10 } })).deliveries[0];
  const before = await read();
  expect(before).toMatchObject({ status: 'delivered', response_status: 200 });
  await replayDelivery(own, { ...none, params: { deliveryId: before?.id ?? '' } });
  await updateWebhook(own, { ...none, params: { id }, body: { enabled: false } });
  expect(await read()).toMatchObject({
    status: 'delivered',
    error: null,
    next_attempt_at: null,
    delivered_at: before?.delivered_at,
  });
});

it('of a fast webhook with thousands waiting does not delay others', async () => {
  const own = await newContext();
  await subscribe('https://flood.example/', ['job.finished'], own);
  await sql`SELECT ${sql(ENGINE)}.emit_event(${own.accountId}, 'job.finished', '{}') FROM generate_series(1, 6000)`;
  await emit('batch.finished', 'https://own.example/', own);
  const sent: string[] = [];
  for (let tick = 0; tick < 4; tick += 1) sent.push(...(await deliver(() => 200)).map(({ url }) => url));
  expect(sent).toContain('https://own.example/');
});

it('is sent to a fast webhook as fast as it responds, few at a time', async () => {
  const own = await newContext();
  await subscribe('https://quick.example/', ['job.finished'], own);
  await sql`SELECT ${sql(ENGINE)}.emit_event(${own.accountId}, 'job.finished', '{}') FROM generate_series(1, 40)`;
  let [sent, now, most] = [0, 0, 0];
  const sender = createWebhookSender({
    db: test.db,
    config,
    log,
    now: () => new Date(),
    send: async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise(setImmediate);
      now -= 1;
      sent += 1;
      return { status: 200 };
    },
  });
  await sender.tick();
  await expect.poll(() => sent).toBe(40);
  await sender.close();
  expect(most).toBeLessThanOrEqual(4);
});

it('continues at the new URL when the old one returns 410 after the change', async () => {
  const own = await newContext();
  const { id } = await subscribe('https://old.example/', ['batch.finished'], own);
  await emit('batch.finished', null, own);
  let answer: ((given: { status: number }) => void) | undefined;
  const sender = createWebhookSender({
    db: test.db,
    config,
    log,
    now: () => new Date(),
    send: () => new Promise((resolve) => (answer = resolve)),
  });
  await sender.tick();
  await emit('batch.finished', null, own);
  await updateWebhook(own, { ...none, params: { id }, body: { url: 'https://new.example/' } });
  await expect.poll(() => answer !== undefined).toBe(true);
  answer?.({ status: 410 });
  await sender.close();
  expect(await getWebhook(own, { ...none, params: { id } })).toMatchObject({ enabled: true });
  expect((await deliveries(own)).map(({ status }) => status)).toEqual(['pending', 'pending']);
  await pass(0.1);
  const urls = (await deliver(() => 200)).map(({ url }) => url);
  expect(urls).toEqual(['https://new.example/', 'https://new.example/']);
});

/** A claim by a worker of the version before, whose clock is `aheadMs` ahead: it reads next_attempt_at alone. */
async function claimAsBefore(aheadMs = 0): Promise<string[]> {
  const rows = await sql<{ payload: string }[]>`
    UPDATE gleaner.outbox SET attempts = attempts + 1, next_attempt_at = now() + interval '60 s',
      claimed_until = now() + interval '60 s'
    WHERE state = 'pending' AND next_attempt_at <= now() + ${aheadMs} * interval '1 ms' RETURNING payload`;
  return rows.map(({ payload }) => payload);
}

describe('beside processes of the version before', () => {
  it('a delivery that they write is sent, and one that they send is not sent twice', async () => {
    const own = await newContext();
    const insert = (id: string) => sql`
      INSERT INTO gleaner.outbox (id, account_id, url, event, payload, next_attempt_at)
      VALUES (${id}, ${own.accountId}, ${`http://${id}/`}, 'a', '{}', now())`;
    await insert('theirs');
    expect(await claimAsBefore()).toEqual(['{}']);
    await insert('ours');
    expect((await deliver(() => 200)).map(({ url }) => url)).toEqual(['http://ours/']);
    // Their worker died: the lease ends.
    await pass(0.02);
    expect((await deliver(() => 500)).map(({ url }) => url)).toEqual(['http://theirs/']);
    // They set the time of the next attempt of a delivery that they sent.
    await pass(0.02);
    expect(await claimAsBefore()).toHaveLength(1);
    await sql`UPDATE gleaner.outbox SET claimed_until = NULL, next_attempt_at = now() WHERE id = 'theirs'`;
    expect((await deliver(() => 200)).map(({ url }) => url)).toEqual(['http://theirs/']);
  });

  it('a delivery from before the migration is sent after it', async () => {
    const own = await newContext();
    await sql.begin(async (tx) => {
      // As if there were no triggers yet.
      await tx`SET LOCAL session_replication_role = replica`;
      await tx`INSERT INTO gleaner.outbox (id, account_id, url, event, payload, next_attempt_at)
        VALUES ('old', ${own.accountId}, 'http://old/', 'a', '{}', now())`;
    });
    expect(await deliver(() => 200)).toEqual([]);
    const file = new URL('../../../../db/migrations/0057_webhook_lane_indexes.sql', import.meta.url);
    await sql.unsafe(readFileSync(file, 'utf8').split('--> statement-breakpoint').at(-1) ?? '');
    expect((await deliver(() => 200)).map(({ url }) => url)).toEqual(['http://old/']);
  });

  it('a delivery whose payload is shared waits for this version, also when they replay it', async () => {
    const own = await newContext();
    await subscribe('https://one.example/', ['batch.finished'], own);
    await emit('batch.finished', 'https://two.example/', own);
    expect(await claimAsBefore(90_000)).toEqual([]);
    const [first, second] = await deliver(() => 200);
    expect(JSON.parse(first?.body ?? '')).toMatchObject({ type: 'batch.finished', data: { id: 'bat_1' } });
    expect(second?.body).toBe(first?.body);
    await sql`UPDATE gleaner.outbox SET state = 'pending', tries = 0, round_at = now(), next_attempt_at = now()`;
    expect(await claimAsBefore(90_000)).toEqual([]);
    expect(await deliver(() => 200)).toHaveLength(2);
    const [shown] = await deliveries(own);
    expect(shown).toMatchObject({ status: 'delivered', payload: { data: { id: 'bat_1' } } });
    const again = await replayDelivery(own, { ...none, params: { deliveryId: shown?.id ?? '' } });
    expect(again).toMatchObject({ status: 'pending', payload: { data: { id: 'bat_1' } } });
    expect(Date.parse(again.next_attempt_at ?? '')).toBeLessThanOrEqual(Date.now() + 1000);
  });
});

it('shares the payload of an event, which goes with its last delivery', async () => {
  const own = await newContext();
  for (let n = 0; n < 3; n += 1) await subscribe(`https://${n}.example/`, ['batch.finished'], own);
  await sql`DELETE FROM gleaner.webhook_events`;
  await emit('batch.finished', null, own);
  expect(await sql`SELECT no FROM gleaner.webhook_events`).toHaveLength(1);
  await deliver(({ url }) => (url === 'https://0.example/' ? 500 : 200));
  await sql`UPDATE gleaner.outbox SET created_at = now() - interval '31 days'`;
  await sql`UPDATE gleaner.webhook_events SET created_at = now() - interval '31 days'`;
  const rules = retentionRules(loadConfig({}));
  await sweepRetention({ db: test.db, log }, rules);
  await pass(1);
  const [last] = await deliver(() => 200);
  expect(JSON.parse(last?.body ?? '')).toMatchObject({ data: { id: 'bat_1' } });
  await sql`UPDATE gleaner.outbox SET created_at = now() - interval '31 days'`;
  await sweepRetention({ db: test.db, log }, rules);
  expect(await sql`SELECT no FROM gleaner.webhook_events`).toEqual([]);
});

describe('an account', () => {
  it('gets no delivery while it is not active, and what waited when it is again', async () => {
    const [banned, other] = [await newContext(), await newContext()];
    await subscribe('https://banned.example/', ['batch.finished'], banned);
    await emit('batch.finished', 'https://banned.example/run', banned);
    await emit('a', 'https://other.example/', other);
    await updateAccount(test.db, { account: banned.accountId, active: false });
    expect((await deliver(() => 200)).map(({ url }) => url)).toEqual(['https://other.example/']);
    await pass(30);
    expect(await deliver(() => 200)).toEqual([]);
    await updateAccount(test.db, { account: banned.accountId, active: true });
    expect(await deliver(() => 200)).toHaveLength(2);
  });

  it('has at most 16 deliveries under way over all processes, and delays no other account', async () => {
    const [busy, other] = [await newContext(), await newContext()];
    for (let n = 0; n < 12; n += 1) await subscribe(`https://slow${n}.example/`, ['batch.finished'], busy);
    await sql`SELECT ${sql(ENGINE)}.emit_event(${busy.accountId}, 'batch.finished', '{}') FROM generate_series(1, 5)`;
    let underWay = 0;
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const open = () =>
      createWebhookSender({
        db: test.db,
        config,
        log,
        now: () => new Date(),
        send: async ({ url }) => {
          if (url.includes('slow')) {
            underWay += 1;
            await gate;
          }
          return { status: 200 };
        },
      });
    const senders = [open(), open()];
    for (let round = 0; round < 3; round += 1) await Promise.all(senders.map((sender) => sender.tick()));
    await expect.poll(() => underWay).toBe(16);
    await emit('a', 'https://quick.example/', other);
    await senders[0]?.tick();
    await expect.poll(async () => (await deliveries(other))[0]?.status).toBe('delivered');
    release();
    await expect.poll(() => underWay).toBe(60);
    await Promise.all(senders.map((sender) => sender.close()));
  });
});

describe('a webhook that fails five times in a row', () => {
  it('gets one delivery at a time after pauses, and all again after a success', async () => {
    const own = await newContext();
    const { id } = await subscribe('https://down.example/', ['batch.finished'], own);
    await sql`SELECT ${sql(ENGINE)}.emit_event(${own.accountId}, 'batch.finished', '{}') FROM generate_series(1, 12)`;
    const failed = [...(await deliver(() => 500)), ...(await deliver(() => 500))];
    expect(failed.length).toBeGreaterThanOrEqual(5);
    expect(await deliver(() => 500)).toEqual([]);
    const { paused_until: until } = await getWebhook(own, { ...none, params: { id } });
    expect(Date.parse(until ?? '')).toBeGreaterThan(Date.now());
    await pass(0.1);
    expect(await deliver(() => 500)).toHaveLength(1);
    expect(await deliver(() => 500)).toEqual([]);
    // The account repaired it and says so.
    const [shown] = await deliveries(own);
    await replayDelivery(own, { ...none, params: { deliveryId: shown?.id ?? '' } });
    expect(await deliver(() => 200)).toHaveLength(1);
    await pass(1);
    for (let round = 0; round < 3; round += 1) await deliver(() => 200);
    expect((await deliveries(own)).every(({ status }) => status === 'delivered')).toBe(true);
    expect(await getWebhook(own, { ...none, params: { id } })).toMatchObject({ paused_until: null });
    const [row] =
      await sql`SELECT failures, failing_since, resumes_at FROM gleaner.webhooks WHERE id = ${id}`;
    expect(row).toEqual({ failures: 0, failing_since: null, resumes_at: null });
  });

  it('for a day loses what is older than a day', async () => {
    const own = await newContext();
    await subscribe('https://down.example/', ['batch.finished'], own);
    await sql`SELECT ${sql(ENGINE)}.emit_event(${own.accountId}, 'batch.finished', '{}') FROM generate_series(1, 50)`;
    for (let round = 0; round < 3; round += 1) await deliver(() => 500);
    await pass(25);
    await emit('batch.finished', null, own);
    await deliver(() => 500);
    const states = (await deliveries(own)).map(({ status }) => status);
    expect(states.filter((state) => state === 'failed').length).toBeGreaterThanOrEqual(49);
    expect(states).toContain('pending');
  });
});

it('is claimed by a cost that does not depend on what waits behind', async () => {
  const own = await newContext();
  await subscribe('https://full.example/', ['batch.finished'], own);
  const readBeside = async (count: number): Promise<number> => {
    await sql`SELECT ${sql(ENGINE)}.emit_event(${own.accountId}, 'batch.finished', '{}') FROM generate_series(1, ${count}::int)`;
    await sql`UPDATE gleaner.webhook_lanes SET due_at = now() WHERE account_id = ${own.accountId}`;
    await sql.unsafe('VACUUM ANALYZE gleaner.outbox');
    return test.db.withSession(async (session) => {
      const read = async (): Promise<number> => {
        await session`SELECT pg_stat_force_next_flush()`;
        await session`SELECT pg_stat_clear_snapshot()`;
        const [row] = await session<{ n: number }[]>`
          SELECT (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS n
          FROM pg_stat_user_tables WHERE schemaname = 'gleaner' AND relname = 'outbox'`;
        return row?.n ?? 0;
      };
      const before = await read();
      await claimDeliveries({ sql: session }, 200);
      return (await read()) - before;
    });
  };
  await readBeside(500);
  expect(await readBeside(500)).toBeLessThanOrEqual(40);
  expect(await readBeside(5000)).toBeLessThanOrEqual(40);
});
