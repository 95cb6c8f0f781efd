import { ENGINE } from '@gleaner/db';
import { createTestDatabase } from '@gleaner/db/testing';
import { afterAll, expect, it } from 'vitest';
import { createAccount } from '../../accounts/change-accounts.ts';
import { createLogger } from '../../platform/log/log.ts';
import { rotatePartitions } from './rotate-partitions.ts';

const { db, close } = await createTestDatabase();
afterAll(close);
const { account } = await createAccount(db, { name: 'old', credits: 0 });

async function partitions(): Promise<string[]> {
  const rows = await db.sql<{ name: string }[]>`
    SELECT relname AS name FROM pg_class JOIN pg_inherits ON inhrelid = oid
    WHERE inhparent IN ('gleaner.tasks'::regclass, 'gleaner.results'::regclass)`;
  return rows.map(({ name }) => name);
}

/** A run with a number from `hours` ago, with a task and its result. Returns the partitions that were made for it. */
async function addRun(
  hours: number,
  state: 'running' | 'succeeded',
  createdHours = hours,
): Promise<string[]> {
  const before = await partitions();
  const [run] = await db.sql<{ no: string }[]>`
    INSERT INTO gleaner.runs (id, no, account_id, kind, state, mode, queue, target, config, retries, price, budget, total, last_served,
      created_at)
    SELECT ${`bat_${hours}`}, ${db.sql(ENGINE)}.number_at(now() - ${hours} * interval '1 hour'), ${account.id}, 'batch', ${state},
      'return', 'http', '{}', '{}', 0, 1, 1, 1, 0, now() - ${createdHours} * interval '1 hour'
    RETURNING no::text`;
  const no = run?.no ?? '';
  await db.sql`SELECT ${db.sql(ENGINE)}.ensure_partition(now() - ${hours} * interval '1 hour')`;
  await db.sql`INSERT INTO gleaner.tasks VALUES (${no}, 0, 'http://a.test/')`;
  await db.sql`INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer) VALUES (${no}, 0, 1, 1, true, '{}')`;
  return (await partitions()).filter((name) => !before.includes(name));
}

it('drops results a day after their window, but none of an unfinished run', async () => {
  const recent = await addRun(20, 'succeeded');
  const old = await addRun(40, 'succeeded');
  const endless = await addRun(60, 'running');
  expect(old).toHaveLength(2);
  const log = createLogger('test', 'silent');
  await rotatePartitions({ db, log });
  const left = await partitions();
  expect(left).toEqual(expect.arrayContaining([...recent, ...endless]));
  expect(left.filter((name) => old.includes(name))).toEqual([]);

  await db.sql`UPDATE gleaner.runs SET state = 'succeeded' WHERE id = 'bat_60'`;
  await rotatePartitions({ db, log });
  expect((await partitions()).filter((name) => endless.includes(name))).toEqual([]);
});

it('a run that lives keeps its own rows, and nobody else’s', async () => {
  const names = [...(await addRun(150, 'running')), ...(await addRun(149.9, 'succeeded'))];
  const services = { db, log: createLogger('test', 'silent') };
  const rowsOf = async (id: string): Promise<number[]> => {
    const [row] = await db.sql<{ tasks: number; results: number }[]>`
      SELECT (SELECT count(*)::int FROM gleaner.tasks t WHERE t.run_no = r.no) AS tasks,
        (SELECT count(*)::int FROM gleaner.results o WHERE o.run_no = r.no) AS results
      FROM gleaner.runs r WHERE r.id = ${id}`;
    return [row?.tasks ?? -1, row?.results ?? -1];
  };
  await rotatePartitions(services);
  expect(await rowsOf('bat_150')).toEqual([1, 1]);
  expect(await rowsOf('bat_149.9')).toEqual([0, 0]);
  await rotatePartitions(services);
  expect(await rowsOf('bat_150')).toEqual([1, 1]);
  await db.sql`UPDATE gleaner.runs SET state = 'succeeded' WHERE id = 'bat_150'`;
  await rotatePartitions(services);
  expect((await partitions()).filter((name) => names.includes(name))).toEqual([]);
});

it('keeps results for a day after their run was created, regardless of the duration of its upload', async () => {
  const windows = await addRun(100, 'succeeded', 23);
  const services = { db, log: createLogger('test', 'silent') };
  await rotatePartitions(services);
  expect(await partitions()).toEqual(expect.arrayContaining(windows));
  await db.sql`UPDATE gleaner.runs SET created_at = now() - interval '26 hours' WHERE id = 'bat_100'`;
  await rotatePartitions(services);
  expect((await partitions()).filter((name) => windows.includes(name))).toEqual([]);
});

it('keeps results of a stage for a day after its end, however long its workflow run took', async () => {
  const windows = await addRun(120, 'succeeded');
  const services = { db, log: createLogger('test', 'silent') };
  await db.sql`UPDATE gleaner.runs SET kind = 'stage', root_no = 1, finished_at = now() - interval '2 hours' WHERE id = 'bat_120'`;
  await rotatePartitions(services);
  expect(await partitions()).toEqual(expect.arrayContaining(windows));
  await db.sql`UPDATE gleaner.runs SET finished_at = now() - interval '26 hours' WHERE id = 'bat_120'`;
  await rotatePartitions(services);
  expect((await partitions()).filter((name) => windows.includes(name))).toEqual([]);
});

it('skips a window with an active reader without blocking others, and drops it in the next round', async () => {
  const windows = await addRun(80, 'succeeded');
  const services = { db, log: createLogger('test', 'silent') };
  await db.sql.begin(async (reader) => {
    await reader`SELECT count(*) FROM gleaner.results`;
    const rotating = rotatePartitions(services).catch(String);
    while ((await Promise.race([rotating, Promise.resolve()])) === undefined) {
      await db.sql.begin(async (writer) => {
        // Only waiting for locks counts: on a busy machine any statement may take long.
        await writer`SET LOCAL lock_timeout = '200ms'`;
        await writer`INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok)
          SELECT ${writer(ENGINE)}.next_number(), 0, 1, 1, true`;
      });
    }
    expect(await rotating).toContain('lock timeout');
  });
  expect(await partitions()).toEqual(
    expect.arrayContaining(windows.filter((name) => name.startsWith('results'))),
  );
  await rotatePartitions(services);
  expect((await partitions()).filter((name) => windows.includes(name))).toEqual([]);
});
