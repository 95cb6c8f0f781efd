import {
  AppError,
  cutText,
  hasEnded,
  shortenText,
  toStorableJson,
  type DatabaseSink,
  type RunState,
} from '@gleaner/contracts';
import type { KEEP_STATES } from '@gleaner/contracts/values';
import type { Context, Perform, Services } from '../../platform/context.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';
import { writeAnswers } from '../../storage/sinks/write-answers.ts';
import { inputColumns, type CarriedNames } from '../stages/input-values.ts';
import { checkColumns, readKey } from '../submission/carry-plan.ts';
import { invalid } from '../../platform/invalid-request.ts';
import { findRun } from '../submission/find-run.ts';
import { openRunSink, type RunSinkDeps } from '../submission/run-sink.ts';
import type { RunServices } from '../submission/run-services.ts';
import { inputAddress } from '../tasks/check-input.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';
import { findReadableBatch, firstUnfinished, readResults } from './batch-results.ts';

interface KeepRow {
  sink: DatabaseSink;
  state: (typeof KEEP_STATES)[number];
  results: number;
  refused: number;
  detail: string | null;
  created_at: string;
}

function toRecord({
  sink: { database, table },
  state,
  results,
  refused,
  detail,
  created_at: createdAt,
}: KeepRow) {
  return {
    database,
    table,
    status: state,
    results,
    refused,
    detail,
    created_at: new Date(createdAt).toISOString(),
  };
}

async function readKeep({ services, accountId }: Context, no: string): Promise<KeepRow | undefined> {
  const [row] = await services.db.sql<KeepRow[]>`
    SELECT sink, state, results, refused, detail, created_at FROM gleaner.kept_batches
    WHERE run_no = ${no} AND account_id = ${accountId}`;
  return row;
}

/** @throws AppError invalid_request (sink.key): two inputs with values of their own would be one row */
async function requireOwnRows(
  { services }: Pick<Context<RunServices>, 'services'>,
  run: { no: string; target: TaskTarget; carry: CarriedNames | null | undefined },
  sink: DatabaseSink,
): Promise<void> {
  const { carry } = run;
  if (carry === null || carry === undefined) return;
  const key = await readKey(services, { target: run.target, sink }, (column) => Object.hasOwn(carry, column));
  if (key?.join() !== '_url') return;
  const [twice] = await services.db.sql<{ input: string }[]>`
    SELECT t.input FROM gleaner.tasks t WHERE t.run_no = ${run.no} GROUP BY t.input HAVING count(*) > 1 LIMIT 1`;
  if (twice !== undefined)
    throw invalid(
      'sink.key',
      `two inputs share the key _url of their row: ${shortenText(twice.input, 200)}`,
      `Name a column that tells them apart, as "key": ["_url", "${Object.keys(carry)[0]}"].`,
    );
}

/** @throws AppError not_found, batch_writes_to_database, in_use, invalid_request (sink) */
export const keepBatch: Perform<'keepBatch', RunServices> = async (ctx, { params, body }) => {
  const { services, accountId } = ctx;
  const { sink } = body;
  const run = await findReadableBatch(ctx, params.id);
  await checkColumns(services, { id: params.id, accountId, target: run.target, sink }, run.carry ?? {});
  await requireOwnRows(ctx, run, sink);
  const made = await services.db.sql`
    INSERT INTO gleaner.kept_batches (run_no, account_id, sink) VALUES (${run.no}, ${accountId}, ${toStorableJson(sink)}::text::jsonb)
    ON CONFLICT (run_no) DO UPDATE SET sink = excluded.sink, state = 'running', after_seq = -1, results = 0, refused = 0,
      detail = NULL, created_at = now() WHERE kept_batches.state <> 'running'`;
  const kept = await readKeep(ctx, run.no);
  if (kept === undefined) throw new AppError('internal');
  if (made.count === 0)
    throw new AppError('in_use', { detail: `the results are being kept as table ${kept.sink.table}` });
  return toRecord(kept);
};

/** @throws AppError not_found: the batch, or that its results are kept */
export const getBatchKeep: Perform<'getBatchKeep'> = async (ctx, { params }) => {
  const kept = await readKeep(ctx, (await findRun(ctx, 'batch', params.id)).no);
  if (kept === undefined) throw new AppError('not_found', { detail: 'the results are not kept as a table' });
  return toRecord(kept);
};

/** Batches of one round, those of many accounts before several of one. */
const BATCHES_AT_ONCE = 50;
const ACCOUNTS_AT_ONCE = 4;
/** An account's part of a round begins nothing new after this time. */
const ACCOUNT_MS = 5_000;
const RESULTS_AT_ONCE = 500;

interface KeptBatch {
  no: string;
  id: string;
  account_id: string;
  target: TaskTarget;
  carry: CarriedNames | null;
  sink: DatabaseSink;
  after_seq: number;
  state: RunState;
  is_gone: boolean;
  began_at: string;
}

type KeepServices = RunSinkDeps & Pick<Services, 'log'>;

async function end(
  { db }: KeepServices,
  no: string,
  state: 'succeeded' | 'failed',
  detail?: string,
): Promise<void> {
  await db.sql`UPDATE gleaner.kept_batches SET detail = coalesce(${detail ?? null}, detail),
      state = CASE WHEN refused > 0 AND refused = results THEN 'failed' ELSE ${state} END
    WHERE run_no = ${no} AND state = 'running'`;
}

/** Writes the results of one batch, as far as they are there and the time goes. A block that is repeated changes nothing. */
async function keepSome(services: KeepServices, batch: KeptBatch, isOver: () => boolean): Promise<void> {
  const { no, target, sink, carry, account_id: accountId, began_at: began } = batch;
  if (batch.is_gone) return end(services, no, 'failed', 'the results were removed');
  const before = await firstUnfinished({ services }, no);
  const readFrom = (after: number) =>
    readResults({ services }, no, { after, before, limit: RESULTS_AT_ONCE });
  let page = await readFrom(batch.after_seq);
  // Of a batch that goes on, most rounds find nothing new, and open no database for it.
  if (page.rows.length > 0) {
    const columns = inputColumns(carry ?? {}, sink);
    const writer = await openRunSink(services, { id: batch.id, accountId, target, sink, carried: columns });
    for (let last = page.rows.at(-1); last !== undefined; last = page.rows.at(-1)) {
      const valuesOf = new Map(page.rows.map(({ seq, values }) => [seq, values]));
      const answers = page.rows.map(({ seq, input, answer }) => {
        const url = inputAddress(target, input);
        return { seq, answer, url, fetched_at: began };
      });
      const refused = await writeAnswers({ ...services, runNo: no }, writer, answers, (seq) =>
        Object.fromEntries(columns.map(({ column }) => [column, valuesOf.get(seq)?.[carry?.[column] ?? '']])),
      );
      const [reason] = refused.values();
      await services.db.sql`
        UPDATE gleaner.kept_batches SET after_seq = ${last.seq}, results = results + ${page.rows.length},
          refused = refused + ${refused.size}, detail = coalesce(${reason === undefined ? null : cutText(reason, 500)}, detail)
        WHERE run_no = ${no} AND state = 'running'`;
      if (isOver()) return;
      page = await readFrom(last.seq);
    }
  }
  if (hasEnded(batch.state)) await end(services, no, 'succeeded');
}

/** Writes results of batches that are kept as tables: for several accounts at once, and for each for a few seconds. */
export async function keepResults(services: KeepServices): Promise<void> {
  const batches = await services.db.sql<KeptBatch[]>`
    SELECT k.run_no::text AS no, r.id, k.account_id, r.target, r.config -> 'carry' AS carry, k.sink, k.after_seq, r.state,
      coalesce(r.expires_at <= now(), false) AS is_gone,
      coalesce(r.started_at, r.created_at) AS began_at
    FROM (
      SELECT o.*, row_number() OVER (PARTITION BY o.account_id ORDER BY random()) AS place
      FROM gleaner.kept_batches o WHERE o.state = 'running'
    ) k JOIN gleaner.runs r ON r.no = k.run_no
    ORDER BY k.place, random() LIMIT ${BATCHES_AT_ONCE}`;
  await forEachAlone(
    [...Map.groupBy(batches, (batch) => batch.account_id).values()],
    async (own) => {
      const until = performance.now() + ACCOUNT_MS;
      for (const batch of own) {
        if (performance.now() > until) return;
        await keepSome(services, batch, () => performance.now() > until).catch(async (error: unknown) => {
          // A database that is away is tried again until the results are gone.
          if (error instanceof AppError && error.code !== 'temporarily_unavailable')
            return end(services, batch.no, 'failed', cutText(error.options.detail ?? error.message, 500));
          services.log.warn({ err: error, runId: batch.id }, 'results were not kept; trying again');
          return undefined;
        });
      }
    },
    ACCOUNTS_AT_ONCE,
  );
}
