import { SHOWN_RUNS, type CollectionKind, type CronTarget, type Sink } from '@gleaner/contracts';
import { readRunCounts } from '../firing-runs.ts';
import type { Context, InputOf, OutputOf, Perform } from '../../platform/context.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { decodeCursor, encodeCursor, foreignCursor } from '../../platform/lists/page.ts';

type Collection = OutputOf<'listCollections'>['collections'][number];
type CollectionRun = Collection['runs'][number];

/** The latest batches among which those of parsers are looked for. */
const LOOKED_AT = 2_000;

interface Place {
  id: string;
  kind: CollectionKind;
  /** The part of the latest run's identifier that rises with time; empty without a run. */
  last: string;
}

/** The last line of the page before. @throws AppError invalid_request (cursor) */
function readAfter(cursor: string | undefined): { last: string | null; id: string } {
  if (cursor === undefined) return { last: null, id: '' };
  const [last, id] = decodeCursor('collections', cursor, 2);
  if (typeof last !== 'string' || typeof id !== 'string') throw foreignCursor();
  return { last, id };
}

/** The batches of parsers that fetch pages into a table and that no cron made, among the latest ones. */
function parserBatches({ services: { db }, accountId }: Context) {
  return db.sql`
    SELECT b.id, b.created_at, b.sink, b.target ->> 'parserId' AS parser FROM (
      SELECT id, created_at, sink, target, cron_id, config ->> 'pages' AS pages FROM gleaner.runs
      WHERE account_id = ${accountId} AND kind = 'batch' ORDER BY id DESC LIMIT ${LOOKED_AT}
    ) b WHERE b.cron_id IS NULL AND b.pages IS NULL AND b.sink ->> 'table' IS NOT NULL AND b.target ->> 'type' = 'parser'`;
}

/** Where each collection stands in the list, those with the latest run first. */
async function findPlaces(ctx: Context, query: InputOf<'listCollections'>['query']): Promise<Place[]> {
  const { last, id } = readAfter(query.cursor);
  return ctx.services.db.sql<Place[]>`
    SELECT id, kind, last FROM (
      SELECT c.id, 'cron' AS kind, coalesce((SELECT split_part(max(f.id), '_', 2) FROM gleaner.cron_firings f
        WHERE f.cron_id = c.id), '') COLLATE "C" AS last
      FROM gleaner.crons c WHERE c.account_id = ${ctx.accountId}
      UNION ALL
      SELECT p.id, 'parser', split_part(max(b.id), '_', 2) COLLATE "C" FROM (${parserBatches(ctx)}) b
      JOIN gleaner.parsers p ON p.id = b.parser AND p.account_id = ${ctx.accountId} AND p.deleted_at IS NULL GROUP BY p.id
    ) places
    WHERE (${query.id ?? null}::text IS NULL OR id = ${query.id ?? null})
      AND (${last}::text IS NULL OR (last, id COLLATE "C") < (${last}::text, ${id}::text))
    ORDER BY last DESC, id COLLATE "C" DESC LIMIT ${query.limit + 1}`;
}

interface Described extends Omit<Collection, 'database' | 'table' | 'credits' | 'changed' | 'runs'> {
  sink: Sink | null;
}

/** What is known of crons and parsers themselves. */
async function describePlaces(ctx: Context, places: readonly Place[]): Promise<Map<string, Described>> {
  const ids = places.map(({ id }) => id);
  const rows = await ctx.services.db.sql<(Described & { target: CronTarget })[]>`
    SELECT id, 'cron' AS kind, name, target, sink, schedule, timezone, is_enabled AS enabled,
      paused_reason, next_fire_at AS next_run_at, created_at
    FROM gleaner.crons WHERE account_id = ${ctx.accountId} AND id = ANY(${ids}::text[])
    UNION ALL
    SELECT p.id, 'parser', p.name, jsonb_build_object('type', 'parser', 'parserId', p.id), (
      SELECT b.sink FROM (${parserBatches(ctx)}) b WHERE b.parser = p.id ORDER BY b.id DESC LIMIT 1
    ), NULL, NULL, false, NULL, NULL, p.created_at
    FROM gleaner.parsers p WHERE p.account_id = ${ctx.accountId} AND p.id = ANY(${ids}::text[])`;
  return new Map(rows.map((row) => [row.id, row]));
}

interface RunRow {
  collection: string;
  runId: string | null;
  at: string;
  outcome: CollectionRun['outcome'];
}

/** The latest runs of each collection, newest first. */
async function readRuns(ctx: Context, places: readonly Place[]): Promise<Map<string, CollectionRun[]>> {
  const { db } = ctx.services;
  const idsOf = (kind: CollectionKind) => places.flatMap((place) => (place.kind === kind ? [place.id] : []));
  const firings = await db.sql<RunRow[]>`
    SELECT c.id AS collection, f.run_id AS "runId", f.scheduled_at AS at, f.outcome
    FROM unnest(${idsOf('cron')}::text[]) c (id) CROSS JOIN LATERAL (
      SELECT n.id, n.run_id, n.scheduled_at, n.outcome FROM gleaner.cron_firings n
      WHERE n.cron_id = c.id ORDER BY n.id DESC LIMIT ${SHOWN_RUNS}
    ) f ORDER BY f.id DESC`;
  const batches = await db.sql<RunRow[]>`
    SELECT n.parser AS collection, n.id AS "runId", n.created_at AS at, 'started' AS outcome FROM (
      SELECT b.*, row_number() OVER (PARTITION BY b.parser ORDER BY b.id DESC) AS place
      FROM (${parserBatches(ctx)}) b WHERE b.parser = ANY(${idsOf('parser')}::text[])
    ) n WHERE n.place <= ${SHOWN_RUNS} ORDER BY n.id DESC`;
  const rows = [...firings, ...batches];
  const counts = await readRunCounts(db.orm, ctx.accountId, rows);
  const runs = rows.map(({ collection, runId, at, outcome }) => ({
    collection,
    run_id: runId,
    at: new Date(at).toISOString(),
    outcome,
    ...(counts.get(runId ?? '') ?? { status: null, total: 0, succeeded: 0, failed: 0, held: 0, rows: null }),
  }));
  const grouped = Map.groupBy(runs, ({ collection }) => collection);
  return new Map(
    [...grouped].map(([id, own]) => [id, own.map(({ collection: _collection, ...run }) => run)]),
  );
}

/** What each collection used in the last 30 days: a parser without its crons. */
async function readCredits(
  { services: { db }, accountId }: Context,
  places: readonly Place[],
): Promise<Map<string, number>> {
  const rows = await db.sql<{ id: string; credits: string }[]>`
    SELECT h.id, sum(h.credits)::text AS credits FROM (
      SELECT account_id, hour, coalesce(nullif(cron_id, ''), parser_id) AS id, credits FROM gleaner.usage_hours
      UNION ALL
      SELECT account_id, hour, coalesce(nullif(cron_id, ''), parser_id), credits FROM gleaner.usage_deltas
    ) h
    WHERE h.account_id = ${accountId} AND h.hour >= now() - interval '30 days'
      AND h.id = ANY(${places.map(({ id }) => id)}::text[])
    GROUP BY h.id`;
  return new Map(rows.map(({ id, credits }) => [id, Number(credits)]));
}

const CHANGED_MS = 86_400_000;

/** What the runs of the last day changed, of those whose tables keep their changes. Found by the time in their identifiers. */
async function readChanged(
  { services: { db, now }, accountId }: Context,
  places: readonly Place[],
): Promise<Map<string, Collection['changed']>> {
  const since = now().getTime() - CHANGED_MS;
  const rows = await db.sql<{ id: string; changed: Collection['changed'] }[]>`
    SELECT n.place AS id, json_build_object('new', sum(n.rows_new)::float8, 'changed', sum(n.rows_changed)::float8,
      'removed', sum(n.rows_removed)::float8, 'returned', sum(n.rows_returned)::float8) AS changed
    FROM (
      SELECT r.rows_new, r.rows_changed, r.rows_removed, r.rows_returned,
        coalesce(t.cron_id, r.cron_id, CASE WHEN r.kind = 'batch' THEN r.target ->> 'parserId' END) AS place
      FROM gleaner.runs r LEFT JOIN gleaner.runs t ON t.no = r.root_no
      WHERE r.account_id = ${accountId} AND r.rows_new IS NOT NULL AND (
        (r.kind = 'batch' AND r.id >= ${firstIdAt('batch', since)})
        OR (r.kind = 'stage' AND r.id >= ${firstIdAt('workflowRun', since)})
      )
    ) n
    WHERE n.place = ANY(${places.map(({ id }) => id)}::text[]) GROUP BY n.place`;
  return new Map(rows.map(({ id, changed }) => [id, changed]));
}

/** Crons and parsers with a table, those with the latest run first. */
export const listCollections: Perform<'listCollections'> = async (ctx, { query }) => {
  const found = await findPlaces(ctx, query);
  const places = found.slice(0, query.limit);
  const [described, runs, credits, changed] = [
    await describePlaces(ctx, places),
    await readRuns(ctx, places),
    await readCredits(ctx, places),
    await readChanged(ctx, places),
  ];
  const collections = places.flatMap(({ id }): Collection[] => {
    const one = described.get(id);
    if (one === undefined) return [];
    const { sink, next_run_at: next, ...rest } = one;
    const isTable = sink?.mode === 'database';
    return [
      {
        ...rest,
        created_at: new Date(rest.created_at).toISOString(),
        next_run_at: next === null ? null : new Date(next).toISOString(),
        database: isTable ? sink.database : null,
        table: isTable ? sink.table : null,
        credits: credits.get(id) ?? 0,
        changed: changed.get(id) ?? null,
        runs: runs.get(id) ?? [],
      },
    ];
  });
  const last = places.at(-1);
  const hasMore = found.length > query.limit;
  return {
    collections,
    pagination: {
      cursor: hasMore && last ? encodeCursor('collections', [last.last, last.id]) : null,
      has_more: hasMore,
    },
  };
};
