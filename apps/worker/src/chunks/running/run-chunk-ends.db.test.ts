import { ENGINE } from '@gleaner/db';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@gleaner/contracts';
import {
  createExternalDatabases,
  createId,
  openSinkWriter,
  type SinkWriter,
  type Services,
} from '@gleaner/core';
import { findViolations } from '@gleaner/core/find-violations';
import { createTestAccount, openTestServices, createChunkSweeper } from '@gleaner/core/testing';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import {
  answer,
  awaitEnd,
  FETCHED_AT,
  readCounts,
  startWorker,
  submitRun,
  type TestWorker,
} from '../testing/chunk-harness.ts';

const opened = await openTestServices();
const services: Services = opened.services;
const workers: TestWorker[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  expect(await findViolations(services.db)).toEqual([]);
});
afterAll(() => opened.close());

const urls = Array.from({ length: 6 }, (_, place) => `http://a.test/${place}`);

async function openAccount(): Promise<string> {
  return (await createTestAccount(services, { concurrency: 20, credits: 1_000 })).accountId;
}

it('three workers that are asked to end during one slow page cost it neither an attempt nor a death', async () => {
  let begun = 0;
  let read = 0;
  const { no } = await submitRun(services, await openAccount(), urls.slice(0, 1));
  const sweep = createChunkSweeper(services);
  for (let ending = 1; ending <= 3; ending += 1) {
    const worker = await startWorker(services, async (input, signal) => {
      begun += 1;
      // The first pages heed their abort, the last does not.
      await delay(3_600_000, undefined, ending < 3 ? { signal } : { ref: false });
      read += 1;
      return answer(input);
    });
    await expect.poll(async () => sweep().then(() => begun)).toBe(ending);
    // The page takes an hour.
    await worker.stop(200);
    expect(read).toBe(0);
    const [chunk] = await services.db
      .sql`SELECT deaths, tries, remaining FROM gleaner.chunks WHERE run_no = ${no}`;
    expect(chunk).toEqual({ deaths: 0, tries: 0, remaining: 1 });
  }
  workers.push(await startWorker(services, async (input) => answer(input)));
  expect(await awaitEnd(services, no)).toMatchObject({ state: 'succeeded', succeeded: 1 });
  expect(await services.db.sql`SELECT attempts FROM gleaner.results WHERE run_no = ${no}`).toEqual([
    { attempts: 1 },
  ]);
});

const LEASE_MS = 2_000;

it('fetched pages wait for the database of their sink without slots, and are not fetched again', async () => {
  let fetched = 0;
  let isAway = true;
  const sinkWriter: SinkWriter = {
    kind: 'postgres',
    keyColumns: () => [],
    toRows: () => ({ rows: [] }),
    prepare: () => Promise.resolve(false),
    settledRows: () => {
      throw new Error('not managed');
    },
    writeExternal: () =>
      isAway ? Promise.reject(new AppError('temporarily_unavailable')) : Promise.resolve(new Map()),
    recover: () => Promise.resolve(false),
  };
  workers.push(
    await startWorker(
      services,
      async (input) => {
        fetched += 1;
        await delay(5);
        return answer(input);
      },
      { openSink: () => Promise.resolve(sinkWriter), leaseMs: LEASE_MS },
    ),
  );
  const accountId = await openAccount();
  const sink = {
    mode: 'database',
    database: 'db_test',
    table: 't',
    contract: 'evolve',
    nulls: 'keep',
  } as const;
  const { no } = await submitRun(services, accountId, urls, { sink, config: { retries: 0 } });
  await expect.poll(() => readCounts(services, no)).toMatchObject({ waiting_for_sink: 6 });
  await expect
    .poll(
      async () =>
        (await services.db.sql`SELECT ${services.db.sql(ENGINE)}.slots_used(${accountId}) AS slots`)[0]
          ?.slots,
    )
    .toBe(0);
  await delay(LEASE_MS + 1_000);
  isAway = false;
  expect(await awaitEnd(services, no)).toMatchObject({ succeeded: 6, waiting_for_sink: 0 });
  expect(fetched).toBe(6);
});

it('a worker that ends gives pages back that wait for their sink', async () => {
  const away: SinkWriter = {
    kind: 'postgres',
    keyColumns: () => [],
    toRows: () => ({ rows: [] }),
    prepare: () => Promise.resolve(false),
    settledRows: () => {
      throw new Error('not managed');
    },
    writeExternal: () => Promise.reject(new AppError('temporarily_unavailable')),
    recover: () => Promise.resolve(false),
  };
  const worker = await startWorker(services, async (input) => answer(input), {
    openSink: () => Promise.resolve(away),
  });
  const accountId = await openAccount();
  const sink = {
    mode: 'database',
    database: 'db_test',
    table: 't',
    contract: 'evolve',
    nulls: 'keep',
  } as const;
  const { id, no } = await submitRun(services, accountId, urls, { sink, config: { retries: 0 } });
  await expect.poll(() => readCounts(services, no)).toMatchObject({ waiting_for_sink: 6 });
  await worker.stop(100);
  expect(await readCounts(services, no)).toMatchObject({ pending: 6, failed: 0, waiting_for_sink: 0 });
  await services.db.sql`SELECT ${services.db.sql(ENGINE)}.cancel_run(${accountId}, ${id})`;
});

it('rows of a managed table and their settlement are one statement, and have the time of their page', async () => {
  const accountId = await openAccount();
  const database = createId('database');
  const { sql } = services.db;
  await sql`INSERT INTO gleaner.databases (id, account_id, name, kind) VALUES (${database}, ${accountId}, 'd', 'managed')`;
  await sql.unsafe(`CREATE SCHEMA "${database}"`);
  const external = createExternalDatabases({
    secretKey: undefined,
    resolveEgress: () => Promise.reject(new Error('no external database here')),
  });
  const sink = { mode: 'database', database, table: 't', contract: 'evolve', nulls: 'keep' } as const;
  const writer = await openSinkWriter(
    { db: services.db, external },
    {
      accountId,
      runId: 'bat_test',
      sink,
      columns: [{ name: 'input', type: 'text', nullable: true, key: false }],
    },
  );
  await writer.prepare();
  const { no } = await submitRun(services, accountId, urls, { sink });
  const begin = vi.spyOn(sql, 'begin');
  workers.push(
    await startWorker(services, async (input) => answer(input), { openSink: () => Promise.resolve(writer) }),
  );
  expect(await awaitEnd(services, no)).toMatchObject({ succeeded: 6 });
  expect(begin).not.toHaveBeenCalled();
  begin.mockRestore();
  const rows = await sql.unsafe(
    `SELECT count(*)::int AS count FROM "${database}".t WHERE _fetched_at = '${FETCHED_AT}'`,
  );
  expect(rows).toEqual([{ count: 6 }]);
  await external.close();
});

it('a statement that took too long is split, and a page that alone takes too long fails alone', async () => {
  const accountId = await openAccount();
  const database = createId('database');
  const { sql } = services.db;
  await sql`INSERT INTO gleaner.databases (id, account_id, name, kind) VALUES (${database}, ${accountId}, 'd', 'managed')`;
  await sql.unsafe(`CREATE SCHEMA "${database}"`);
  const external = createExternalDatabases({
    secretKey: undefined,
    resolveEgress: () => Promise.reject(new Error('no external database here')),
  });
  const sink = { mode: 'database', database, table: 't', contract: 'evolve', nulls: 'keep' } as const;
  const columns = [{ name: 'input', type: 'text' as const, nullable: true, key: false }];
  const writer = await openSinkWriter(
    { db: services.db, external },
    { accountId, runId: 'bat_test', sink, columns },
  );
  await writer.prepare();
  // The error of a cancelled statement, without the wait.
  await sql.unsafe(`
    CREATE TABLE "${database}".tries (rows integer);
    CREATE FUNCTION "${database}".judge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT count(*) > 2 OR bool_or(input LIKE '%/3') FROM made) THEN
        RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014';
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER judge AFTER INSERT ON "${database}".t REFERENCING NEW TABLE AS made
      FOR EACH STATEMENT EXECUTE FUNCTION "${database}".judge()`);
  const { no } = await submitRun(services, accountId, urls, { sink });
  workers.push(
    await startWorker(services, async (input) => answer(input), { openSink: () => Promise.resolve(writer) }),
  );
  expect(await awaitEnd(services, no)).toMatchObject({ succeeded: 5, failed: 1 });
  const failures = await sql`SELECT seq, error FROM gleaner.results WHERE run_no = ${no} AND NOT ok`;
  expect(failures).toMatchObject([
    { seq: 3, error: { code: 'extraction_failed', detail: expect.stringContaining('in time') as string } },
  ]);
  await external.close();
});

it('keeps the phases of failures and of a job, and none for each success of a batch', async () => {
  const accountId = await openAccount();
  const phases = { connect_ms: 3, first_byte_ms: 84 };
  workers.push(
    await startWorker(services, async (input) =>
      input.endsWith('/1')
        ? { ok: false, error: { code: 'target_blocked', retryable: false }, phases }
        : { ...answer(input), phases },
    ),
  );
  const batch = await submitRun(services, accountId, urls.slice(0, 3));
  const job = await submitRun(services, accountId, urls.slice(0, 1), { kind: 'job' });
  await awaitEnd(services, batch.no);
  await awaitEnd(services, job.no);
  const read = (no: string) =>
    services.db.sql`SELECT seq, ok, phases FROM gleaner.results WHERE run_no = ${no} ORDER BY seq`;
  expect(await read(batch.no)).toEqual([
    { seq: 0, ok: true, phases: null },
    { seq: 1, ok: false, phases },
    { seq: 2, ok: true, phases: null },
  ]);
  expect(await read(job.no)).toEqual([{ seq: 0, ok: true, phases }]);
});
