import { AppError, leastIntervalSeconds, nextFiring } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { eq, sql } from 'drizzle-orm';

const { accounts } = tables;

/** @throws AppError plan_limit_exceeded (schedule): it fires more often than the account may */
export async function requireInterval(db: Executor, accountId: string, schedule: string): Promise<void> {
  const [account] = await db
    .select({ least: accounts.cronMinIntervalSeconds })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  const least = account?.least ?? 0;
  const seconds = leastIntervalSeconds(schedule, least);
  if (seconds >= least) return;
  throw new AppError('plan_limit_exceeded', {
    field: 'schedule',
    detail: `two firings are only ${seconds} s apart; the account's minimum is ${least} s`,
    hint: 'Fire less often, or ask the operator for a smaller cron_min_interval_seconds.',
    retryable: false,
  });
}

/** The database's clock, milliseconds since 1970: the only clock of crons. */
export async function readClock(db: Executor): Promise<number> {
  const [row] = await db.execute<{ ms: number }>(
    sql`SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`,
  );
  if (!row) throw new Error('Postgres gave no time');
  return row.ms;
}

/** When a cron that is enabled now fires first. @throws AppError invalid_request (schedule) */
export async function readNext(db: Executor, schedule: string, timezone: string): Promise<string> {
  const next = nextFiring(schedule, timezone, await readClock(db));
  if (next === null) throw new AppError('invalid_request', { field: 'schedule', detail: 'never fires' });
  return new Date(next).toISOString();
}
