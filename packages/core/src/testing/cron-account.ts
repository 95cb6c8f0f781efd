import type { CronRecord, FiringRecord } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { createId } from '../platform/ids.ts';
import type { Services, InputOf } from '../platform/context.ts';
import { createTestParser } from './submit-services.ts';
import { createTestAccount, testContext } from './test-services.ts';
import type { NewAccount } from '../accounts/change-accounts.ts';
import type { SubmitServices } from '../runs/submission/run-services.ts';
import { createCron } from '../crons/change-crons.ts';
import { listCronRuns } from '../crons/read-crons.ts';

type Body = InputOf<'createCron'>['body'];

/** An account with a parser and a managed database, in which crons can be made. */
export async function openCronAccount<S extends Services & SubmitServices>(
  services: S,
  input: Partial<NewAccount> = {},
) {
  const { accountId } = await createTestAccount(services, input);
  const parserId = await createTestParser(services, accountId, [
    { fields: { title: 'h1' } },
    { fields: { title: 'h2' } },
  ]);
  const databaseId = createId('database');
  const { sql } = services.db;
  await sql`INSERT INTO gleaner.databases (id, account_id, name, kind)
    VALUES (${databaseId}, ${accountId}, 'rows', 'managed')`;
  await sql.unsafe(`CREATE SCHEMA ${databaseId}`);
  const ctx = testContext(services, accountId);
  const body = (other: Partial<Body> = {}): Body => ({
    name: 'nightly',
    description: '',
    url: 'http://a.test/list',
    // Not due while a test runs, unless the test makes it due.
    schedule: '0 0 29 2 *',
    target: { type: 'parser', parserId },
    sink: {
      mode: 'database',
      database: databaseId,
      table: 'items',
      contract: 'evolve',
      nulls: 'keep',
    },
    ...other,
  });
  const none = { params: undefined, query: undefined, upload: undefined };
  return {
    accountId,
    parserId,
    databaseId,
    ctx,
    body,
    create: async (other: Partial<Body> = {}): Promise<CronRecord> => {
      const record = await createCron(ctx, { ...none, body: body(other) });
      if (!('schedule' in record)) throw new Error('the cron was not stored');
      return record;
    },
    /** Makes the cron due at this many seconds from the database's present. @returns the due time */
    setDue: async (id: string, seconds: number): Promise<string> => {
      const [row] = await sql<{ due: string }[]>`
        UPDATE gleaner.crons SET next_fire_at = clock_timestamp() + ${seconds} * interval '1 second'
        WHERE id = ${id} RETURNING ${sql(ENGINE)}.iso_time(next_fire_at) AS due`;
      return row?.due ?? '';
    },
    /** Firings of the cron, latest first. */
    firings: async (id: string): Promise<FiringRecord[]> => {
      const { runs } = await listCronRuns(ctx, {
        ...none,
        body: undefined,
        params: { id },
        query: { limit: 100, cursor: undefined },
      });
      return runs.map(({ run: _run, ...firing }) => firing);
    },
    /** Ends a run as it would be ended by its last task. */
    endRun: async (id: string, state: 'succeeded' | 'failed'): Promise<void> => {
      await sql`UPDATE gleaner.runs SET state = ${state}, carved = total, finished_at = now() WHERE id = ${id}`;
    },
  };
}
