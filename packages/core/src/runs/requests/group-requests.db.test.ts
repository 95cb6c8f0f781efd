import { ENGINE, createDatabase } from '@gleaner/db';
import { bothBackends } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createId } from '../../platform/ids.ts';
import { createTestAccount, openTestServices, type TestServices } from '../../testing/test-services.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';
import { findViolations } from '../../testing/find-violations.ts';
import { createEnder, type RequestEnd, endPatiently } from './end-requests.ts';
import { openInteractive, type Interactive } from './open-interactive.ts';
import { createStarter } from './start-requests.ts';
import type { NewRequest, Submission } from './submit-requests.ts';
import { endRequest, startRequest } from '../../testing/test-requests.ts';

const SUCCESS: RequestEnd = { state: 'succeeded', answer: '{"title":"a"}' };

function newRequest(accountId: string, price = 1): NewRequest {
  return {
    id: createId('request'),
    accountId,
    kind: 'task',
    queue: 'interactive-http',
    price,
    timeoutMs: 60_000,
    spec: { target: { type: 'api', id: 'none' }, input: { url: 'http://a.test/' }, config: {} },
  };
}

bothBackends('groups of requests', (backend) => {
  let open: TestServices;
  let interactive: Interactive;

  beforeAll(async () => {
    open = await openTestServices(backend);
    interactive = await openInteractive(open.services);
  });
  afterAll(async () => {
    await interactive.close();
    await open.close();
  });

  async function submitAll(requests: readonly NewRequest[]): Promise<Submission['outcome'][]> {
    const submissions = await Promise.all(requests.map((request) => interactive.submitter.call(request)));
    return submissions.map(({ outcome }) => outcome);
  }

  async function startAll(requests: readonly NewRequest[]): Promise<void> {
    const starter = createStarter(open.services, 'wrk_a');
    await Promise.all(requests.map(({ id }) => starter.call({ id, attempt: 1 })));
  }

  async function readAccount(accountId: string) {
    const [row] = await open.services.db.sql<{ balance: string; reserved: string; used: string }[]>`
      SELECT balance, reserved, used FROM gleaner.accounts WHERE id = ${accountId}`;
    return { balance: Number(row?.balance), reserved: Number(row?.reserved), used: Number(row?.used) };
  }

  it('a burst gets slots in order, and 429 above the limits on credits and concurrency', async () => {
    const { accountId } = await createTestAccount(open.services, { credits: 10, concurrency: 3 });
    const { accountId: other } = await createTestAccount(open.services, { credits: 2, concurrency: 10 });
    const requests = [4, 4, 4, 1, 1].map((price) => newRequest(accountId, price));
    const others = [1, 2, 1].map((price) => newRequest(other, price));
    expect(await submitAll([...requests, ...others])).toEqual([
      'queued',
      'queued',
      'credits',
      'queued',
      'concurrency',
      'queued',
      'credits',
      'queued',
    ]);
    expect(await readAccount(accountId)).toEqual({ balance: 10, reserved: 9, used: 0 });
    await startAll([...requests, ...others]);
    const ender = createEnder(open.services);
    const ended = await Promise.all(
      [...requests, ...others].map(({ id, accountId: owner }) =>
        ender.call({ id, accountId: owner, attempt: 1, end: SUCCESS }),
      ),
    );
    expect(ended).toEqual([true, true, false, true, false, true, false, true]);
    expect(await readAccount(accountId)).toEqual({ balance: 1, reserved: 0, used: 9 });
    expect(await readAccount(other)).toEqual({ balance: 0, reserved: 0, used: 2 });
    const entries = await open.services.db.sql<{ kind: string; credits: string }[]>`
      SELECT kind, credits FROM gleaner.ledger_entries WHERE account_id = ${accountId} ORDER BY id`;
    expect(entries.map(({ kind, credits }) => `${kind} ${credits}`)).toEqual([
      'grant 10',
      'reserve 9',
      'settle 9',
    ]);
    expect(await findViolations(open.services.db)).toEqual([]);
  });

  it('a request is charged once, also when several groups end it repeatedly', async () => {
    const { accountId } = await createTestAccount(open.services, { credits: 100 });
    const requests = Array.from({ length: 6 }, () => newRequest(accountId));
    await submitAll(requests);
    await startAll(requests);
    const [one, two] = [createEnder(open.services), createEnder(open.services)];
    const ends = await Promise.all(
      requests.flatMap(({ id }, index) => [
        one.call({ id, accountId, attempt: 1, end: SUCCESS }),
        one.call({ id, accountId, attempt: 1, end: SUCCESS }),
        two.call({ id, accountId, attempt: 1, end: SUCCESS }),
        // The worker of an earlier attempt, and a client that disconnects.
        two.call({ id, accountId, attempt: 7, end: SUCCESS }),
        ...(index % 2 === 0
          ? [
              endRequest(open.services, id, null, {
                state: 'cancelled',
                error: { code: 'temporarily_unavailable' },
              }),
            ]
          : []),
      ]),
    );
    expect(ends.filter(Boolean)).toHaveLength(requests.length);
    const [sums] = await open.services.db.sql<{ succeeded: number }[]>`
      SELECT count(*) FILTER (WHERE state = 'succeeded')::int AS succeeded FROM gleaner.requests
      WHERE account_id = ${accountId}`;
    const used = sums?.succeeded ?? -1;
    expect(await readAccount(accountId)).toEqual({ balance: 100 - used, reserved: 0, used });
    expect(await findViolations(open.services.db)).toEqual([]);
  });

  it('a request that Postgres rejects fails no other request of its group', async () => {
    const { accountId } = await createTestAccount(open.services);
    const requests = Array.from({ length: 5 }, () => newRequest(accountId));
    await submitAll(requests);
    await startAll(requests);
    const ender = createEnder(open.services);
    const { sql } = open.services.db;
    await sql`ALTER TABLE gleaner.requests ADD CONSTRAINT refuses CHECK (answer <> '"refused"')`;
    await Promise.all(
      requests.map(({ id }, index) =>
        endPatiently(ender, {
          id,
          accountId,
          attempt: 1,
          end: index === 2 ? { state: 'succeeded', answer: '"refused"' } : SUCCESS,
        }),
      ),
    );
    await sql`ALTER TABLE gleaner.requests DROP CONSTRAINT refuses`;
    const ended = await sql<{ id: string; state: string; error: unknown }[]>`
      SELECT id, state, error FROM gleaner.requests WHERE account_id = ${accountId}`;
    const byId = new Map(ended.map((row) => [row.id, row]));
    expect(requests.map(({ id }) => byId.get(id)?.state)).toEqual([
      'succeeded',
      'succeeded',
      'failed',
      'succeeded',
      'succeeded',
    ]);
    expect(byId.get(requests[2]?.id ?? '')?.error).toMatchObject({ code: 'internal' });
    expect(await findViolations(open.services.db)).toEqual([]);
  });

  it('a locked account delays no other account, and is served after its lock is free', async () => {
    const held = await createTestAccount(open.services);
    const free = await createTestAccount(open.services);
    const holder = createDatabase(open.database.url, { max: 1 });
    let release = (): void => undefined;
    const holding = holder.sql.begin(async (tx) => {
      await tx`SELECT 1 FROM gleaner.accounts WHERE id = ${held.accountId} FOR UPDATE`;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    await expect.poll(() => isHeld(held.accountId)).toBe(true);
    const waiting = [newRequest(held.accountId), newRequest(held.accountId)].map((request) =>
      interactive.submitter.call(request),
    );
    // Few enough to be served before the waiting requests are given up.
    const others = Array.from({ length: 6 }, () => newRequest(free.accountId));
    for (const request of others) {
      expect(await interactive.submitter.call(request)).toMatchObject({ outcome: 'queued' });
    }
    release();
    await holding;
    expect((await Promise.all(waiting)).map(({ outcome }) => outcome)).toEqual(['queued', 'queued']);
    await holder.close();
    await open.services.db.sql`UPDATE gleaner.requests SET lease_until = now() WHERE state = 'queued'`;
    for (const { id } of others) {
      await endRequest(open.services, id, null, { state: 'failed', error: { code: 'internal' } });
    }
  });

  async function isHeld(accountId: string): Promise<boolean> {
    const rows = await open.services.db.sql`
      SELECT 1 FROM gleaner.accounts WHERE id = ${accountId} FOR UPDATE SKIP LOCKED`;
    return rows.length === 0;
  }

  it('an answer reaches the waiting process, also when its message is lost', async () => {
    const { accountId } = await createTestAccount(open.services, { credits: 50 });
    const requests = [newRequest(accountId), newRequest(accountId)];
    await submitAll(requests);
    await startAll(requests);
    const [first, second] = requests;
    if (!first || !second) throw new Error('there are two');
    const answered = requests.map(({ id }) =>
      interactive.answers.wait(id, {
        queue: 'interactive-http',
        accountId,
        rank: 1,
        deadlineAt: Date.now() + 30_000,
        signal: new AbortController().signal,
      }),
    );
    await endRequest(open.services, first.id, 1, SUCCESS);
    expect(await answered[0]).toMatchObject({ state: 'succeeded', answer: '{"title":"a"}', balance: 49 });
    // Like a worker that dies between the commit and the message.
    await open.services.db.sql`
      SELECT * FROM ${open.services.db.sql(ENGINE)}.end_requests(p_ids => ${[second.id]}::text[], p_attempts => '{1}', p_states => '{succeeded}',
        p_answers => '{"title":"b"}', p_errors => '', p_lock_ms => 1000)`;
    expect(await answered[1]).toMatchObject({ state: 'succeeded', answer: '{"title":"b"}', balance: 48 });
  });

  it('work of the API process waits for a slot that a chunk holds, and waiting work counts', async () => {
    const { services } = open;
    const { accountId } = await createTestAccount(services, { concurrency: 1 });
    const run = await submitTestRun(services, accountId, testUrls(1));
    expect(await createTestWorker(services).takeOf(run.no)).toMatchObject({ slots: 1 });
    const slot: NewRequest = { ...newRequest(accountId, 0), kind: 'slot', queue: 'none' };
    expect(await submitAll([slot, newRequest(accountId)])).toEqual(['waiting', 'concurrency']);
    const admitted = interactive.answers.wait(slot.id, {
      queue: 'none',
      accountId,
      rank: 1,
      deadlineAt: Date.now() + 30_000,
      signal: new AbortController().signal,
    });
    const rows = await services.db.sql<AdmittedRow[]>`
      SELECT (delivery).* FROM ${services.db.sql(ENGINE)}.cancel_run(${accountId}, ${run.id})`;
    await deliverAdmitted(services.queue, services.log, rows);
    expect(await admitted).toEqual({ state: 'admitted' });
    await interactive.ender.call({ id: slot.id, accountId, attempt: null, end: SUCCESS });
    expect(await submitAll([{ ...slot, id: createId('request') }])).toEqual(['queued']);
  });

  it('a request is refused when its parser changed after it was read', async () => {
    const { accountId } = await createTestAccount(open.services);
    const request = {
      ...newRequest(accountId),
      parser: { id: 'prs_gone', updatedAt: new Date().toISOString() },
    };
    expect(await submitAll([request])).toEqual(['stale']);
    expect(await startRequest(open.services, { id: request.id, attempt: 1, workerId: 'w' })).toBeNull();
  });

  it('no function of the engine notifies inside its transaction', async () => {
    const { sql } = open.services.db;
    const rows = await sql`
      SELECT proname FROM pg_proc
      WHERE pronamespace = ${ENGINE}::text::regnamespace AND strpos(lower(prosrc), 'pg_notify') > 0`;
    expect(rows).toEqual([]);
  });
});
