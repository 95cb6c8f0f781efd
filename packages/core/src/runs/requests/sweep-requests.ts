import { ENGINE } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import { readDatabaseTime } from '../../platform/process/read-database-time.ts';
import { deliverSwept, type SweepRow } from '../deliveries/admitted.ts';
import { ALL_SECONDS, createLookBack } from '../sweep/look-back.ts';
import { CLIENT_LEFT, createEnder, endPatiently } from './end-requests.ts';

/** A request ends after this many of its workers died. */
const MAX_REQUEST_ATTEMPTS = 3;

/**
 * Runs requests again after their worker died and ends those past their deadline. Any number of processes may call it.
 * @param within seconds since their leases ran out, at most
 */
export async function sweepRequests(
  services: Pick<Services, 'db' | 'queue' | 'log'>,
  within = ALL_SECONDS,
): Promise<void> {
  const rows = await services.db.sql<SweepRow[]>`
    SELECT fault, (delivery).*
    FROM ${services.db.sql(ENGINE)}.sweep_requests(${MAX_REQUEST_ATTEMPTS}, ${within}::float8 * interval '1 second')`;
  await deliverSwept(services, rows);
}

/** Returns a function that sweeps requests once per call. */
export function createRequestSweeper(services: Pick<Services, 'db' | 'queue' | 'log'>): () => Promise<void> {
  const lookBack = createLookBack();
  return () => sweepRequests(services, lookBack());
}

/** An API process that has not reported itself for this long has died. It reports every 2 s. */
const SILENT_SECONDS = 10;

/** Ends that wait for a locked account leave the scheduler's other connections to its other work. */
const SWEEP_LANES = 2;
/** The most requests that one round ends. */
const MAX_ABANDONED = 1_000;

/**
 * Returns a function that ends requests which no worker runs and whose API process died, without a charge: their
 * clients are gone, but they hold credits and slots. Call it every few seconds.
 */
export function createAbandonedSweeper(
  services: Pick<Services, 'db' | 'queue' | 'log'>,
): () => Promise<number> {
  const ender = createEnder(services, { maxLanes: SWEEP_LANES });
  // After Postgres was away, all processes seem silent. So silence counts as of the previous round.
  let before: string | undefined;
  return async () => {
    const now = await readDatabaseTime(services.db.orm);
    const asOf = before;
    before = now;
    if (asOf === undefined) return 0;
    const abandoned = await services.db.sql<{ id: string; accountId: string }[]>`
      WITH dead AS MATERIALIZED (
        SELECT id FROM gleaner.processes
        WHERE kind = 'api' AND seen_at < ${asOf}::text::timestamptz - ${SILENT_SECONDS} * interval '1 second'
      )
      SELECT r.id, r.account_id AS "accountId" FROM gleaner.requests r
      WHERE EXISTS (SELECT FROM dead) AND r.waiter = ANY (ARRAY(SELECT id FROM dead))
        AND r.state IN ('waiting', 'queued', 'running') AND (r.state <> 'running' OR r.kind = 'slot')
      LIMIT ${MAX_ABANDONED}`;
    const ended = await Promise.all(
      abandoned.map((request) => endPatiently(ender, { ...request, attempt: null, end: CLIENT_LEFT })),
    );
    return ended.filter(Boolean).length;
  };
}
