import { ENGINE } from '@gleaner/db';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepRequests } from '../../runs/requests/sweep-requests.ts';
import { submitTestRequest } from '../../testing/submit-test-request.ts';
import { createTestAccount, openTestServices, type TestServices } from '../../testing/test-services.ts';
import { grantCredits } from './credits.ts';
import { endRequest, startRequest } from '../../testing/test-requests.ts';

let open: TestServices;
beforeAll(async () => {
  open = await openTestServices();
});
afterAll(() => open.close());

const CONCURRENCY = 4;
let requests = 0;

interface Submission {
  id: string;
  outcome: string;
  available: number;
}

async function submit(accountId: string, price: number): Promise<Submission> {
  requests += 1;
  const id = `req_${requests}`;
  return { id, ...(await submitTestRequest(open.services, { id, accountId, price })) };
}

interface Audit {
  granted: number;
  balance: number;
  reserved: number;
  used: number;
  /** Balances recomputed from the ledger. */
  ledger: { granted: number; reserved: number; used: number };
  /** Successes without a charge, charges without a success, and ledger entries that are not the sum of their requests. */
  faults: number;
  live: number;
}

async function audit(accountId: string): Promise<Audit> {
  const { sql } = open.services.db;
  const [account] = await sql<Record<'granted' | 'balance' | 'reserved' | 'used', string>[]>`
    SELECT granted, balance, reserved, used FROM gleaner.accounts WHERE id = ${accountId}`;
  const [sums] = await sql<Record<'granted' | 'reserved' | 'used', string>[]>`
    SELECT coalesce(sum(credits) FILTER (WHERE kind = 'grant'), 0) AS granted,
      coalesce(sum(CASE kind WHEN 'reserve' THEN credits WHEN 'grant' THEN 0 ELSE -credits END), 0) AS reserved,
      coalesce(sum(credits) FILTER (WHERE kind = 'settle'), 0) AS used
    FROM gleaner.ledger_entries WHERE account_id = ${accountId}`;
  const [faults] = await sql<{ count: number; live: number }[]>`
    SELECT
      (SELECT count(*) FROM gleaner.requests r WHERE r.account_id = ${accountId} AND r.price > 0
        AND ((r.state = 'succeeded') <> (r.charged_in IS NOT NULL)
          OR r.charged_in IS NOT NULL AND (SELECT sum(l.credits) FROM gleaner.ledger_entries l
            WHERE l.reference = r.charged_in AND l.kind = 'settle') IS DISTINCT FROM
            (SELECT sum(c.price) FROM gleaner.requests c WHERE c.charged_in = r.charged_in))
      )::int AS count,
      ${sql(ENGINE)}.slots_used(${accountId}) AS live`;
  const number = (text: string | undefined): number => Number(text);
  return {
    granted: number(account?.granted),
    balance: number(account?.balance),
    reserved: number(account?.reserved),
    used: number(account?.used),
    ledger: { granted: number(sums?.granted), reserved: number(sums?.reserved), used: number(sums?.used) },
    faults: faults?.count ?? -1,
    live: faults?.live ?? -1,
  };
}

function expectSound(state: Audit): void {
  expect(state.balance + state.used).toBe(state.granted);
  expect(state.reserved).toBeGreaterThanOrEqual(0);
  expect(state.reserved).toBeLessThanOrEqual(state.balance);
  expect(state.ledger).toEqual({ granted: state.granted, reserved: state.reserved, used: state.used });
  expect(state.faults).toBe(0);
  expect(state.live).toBeLessThanOrEqual(CONCURRENCY);
}

type Step =
  | { kind: 'submit'; price: number }
  | { kind: 'end'; pick: number; state: 'succeeded' | 'failed' | 'cancelled'; saved: number }
  | { kind: 'grant'; credits: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('submit' as const), price: fc.nat(30) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      pick: fc.nat(100),
      state: fc.constantFrom('succeeded' as const, 'failed' as const, 'cancelled' as const),
      // By how much it costs less than what is reserved.
      saved: fc.oneof(fc.constant(0), fc.nat(30)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('grant' as const), credits: fc.integer({ min: -40, max: 40 }) }),
  },
);

/** A small model of the ledger. */
interface Model {
  balance: number;
  reserved: number;
  open: { id: string; price: number }[];
}

async function end(
  id: string,
  state: 'succeeded' | 'failed' | 'cancelled',
  price?: number,
): Promise<boolean> {
  await startRequest(open.services, { id, attempt: 1, workerId: 'w' });
  return endRequest(
    open.services,
    id,
    state === 'cancelled' ? null : 1,
    state === 'succeeded' ? { state, answer: '{}', price } : { state, error: { code: 'fetch_failed' } },
  );
}

async function play(accountId: string, model: Model, action: Step): Promise<void> {
  switch (action.kind) {
    case 'submit': {
      const available = model.balance - model.reserved;
      const expected =
        available < action.price ? 'credits' : model.open.length >= CONCURRENCY ? 'concurrency' : 'queued';
      const { id, outcome, ...rest } = await submit(accountId, action.price);
      expect({ outcome, ...rest }).toEqual({ outcome: expected, available });
      if (outcome !== 'queued') return;
      model.reserved += action.price;
      model.open.push({ id, price: action.price });
      return;
    }
    case 'end': {
      const [ended] = model.open.splice(action.pick % Math.max(1, model.open.length), 1);
      if (!ended) return;
      const cost = Math.max(0, ended.price - action.saved);
      const price = action.saved === 0 ? undefined : cost;
      expect(await end(ended.id, action.state, price)).toBe(true);
      expect(await end(ended.id, action.state)).toBe(false);
      model.reserved -= ended.price;
      if (action.state === 'succeeded') model.balance -= cost;
      return;
    }
    case 'grant': {
      const isPossible = model.balance + action.credits >= model.reserved;
      const granting = open.services.db.orm.transaction((tx) =>
        grantCredits(tx, { accountId, credits: action.credits }),
      );
      if (isPossible) await granting;
      else await expect(granting).rejects.toMatchObject({ code: 'insufficient_credits' });
      if (isPossible) model.balance += action.credits;
    }
  }
}

test('with one client, every step matches the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { accountId } = await createTestAccount(open.services, {
        credits: 100,
        concurrency: CONCURRENCY,
      });
      const model: Model = { balance: 100, reserved: 0, open: [] };
      for (const action of steps) await play(accountId, model, action);
      const state = await audit(accountId);
      expectSound(state);
      expect(state).toMatchObject({
        balance: model.balance,
        reserved: model.reserved,
        live: model.open.length,
      });
    }),
    { numRuns: 25 },
  );
});

test('with concurrent clients, balances, ledger and slots stay exact, and each success is charged once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 2, maxLength: 8 }), { maxLength: 5 }),
      async (rounds) => {
        const { accountId } = await createTestAccount(open.services, {
          credits: 100,
          concurrency: CONCURRENCY,
        });
        const known: { id: string; price: number }[] = [];
        const attempt = async (action: Step): Promise<void> => {
          if (action.kind === 'submit') {
            const { id, outcome } = await submit(accountId, action.price);
            if (outcome === 'queued') known.push({ id, price: action.price });
          } else if (action.kind === 'end') {
            const chosen = known[action.pick % Math.max(1, known.length)];
            if (chosen === undefined) return;
            const { id, price } = chosen;
            // Two clients may end the same request; one of them wins.
            const cost = Math.min(price, action.saved);
            await Promise.all([end(id, action.state, cost), end(id, 'cancelled')]);
          } else {
            await open.services.db.orm
              .transaction((tx) => grantCredits(tx, { accountId, credits: action.credits }))
              .catch((error: unknown) => expect(error).toMatchObject({ code: 'insufficient_credits' }));
          }
        };
        for (const round of rounds) {
          await Promise.all(round.map(attempt));
          expectSound(await audit(accountId));
        }
      },
    ),
    { numRuns: 20 },
  );
});

test('a request runs again after its worker died, and ends uncharged after three deaths', async () => {
  const { accountId } = await createTestAccount(open.services, { credits: 10 });
  const { id } = await submit(accountId, 5);
  for (const attempt of [1, 2, 3]) {
    const started = await startRequest(open.services, { id, attempt, workerId: 'w' });
    expect(started).not.toBeNull();
    await open.services.db
      .sql`UPDATE gleaner.requests SET lease_until = now() - interval '1 s' WHERE id = ${id}`;
    await sweepRequests(open.services);
  }
  const [row] = await open.services.db.sql`SELECT state, error FROM gleaner.requests WHERE id = ${id}`;
  expect(row).toMatchObject({ state: 'failed' });
  expect(await audit(accountId)).toMatchObject({ balance: 10, reserved: 0, used: 0, faults: 0 });
});

test('the fence rejects writes of an earlier attempt', async () => {
  const { accountId } = await createTestAccount(open.services, { credits: 10 });
  const { id } = await submit(accountId, 5);
  await startRequest(open.services, { id, attempt: 1, workerId: 'zombie' });
  await open.services.db
    .sql`UPDATE gleaner.requests SET lease_until = now() - interval '1 s' WHERE id = ${id}`;
  await sweepRequests(open.services);
  expect(await endRequest(open.services, id, 1, { state: 'succeeded', answer: '{}' })).toBe(false);
  await startRequest(open.services, { id, attempt: 2, workerId: 'w' });
  expect(await endRequest(open.services, id, 2, { state: 'succeeded', answer: '{}' })).toBe(true);
  expect(await audit(accountId)).toMatchObject({ balance: 5, used: 5, faults: 0 });
});
