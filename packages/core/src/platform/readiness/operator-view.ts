import { QUEUES } from '@gleaner/queue';
import type { Database } from '@gleaner/db';
import type { Services, OutputOf } from '../context.ts';
import { readStored } from '../stored/stored-bytes.ts';
import { ALIVE_SECONDS } from '../workers/heartbeat.ts';
import { readPausedQueues } from './paused-queues.ts';
import { readiness } from './readiness.ts';

/** What an operator looks at to see whether the installation is well. */
export type OperatorView = OutputOf<'getSystemHealth'>;

interface Metric {
  name: string;
  values: { labels: Record<string, string>; value: number }[];
}

type ViewServices = Pick<Services, 'db' | 'queue' | 'config'>;

function valuesOf(metrics: readonly Metric[] | null, name: string): Metric['values'] {
  return metrics?.find((metric) => metric.name === name)?.values ?? [];
}

async function readWorkers({ sql }: Database) {
  return sql<
    {
      id: string;
      host: string;
      pid: number;
      engines: string[];
      refuses: string | null;
      http: number | null;
      browser: number | null;
      started_at: Date | string;
      metrics: Metric[] | null;
    }[]
  >`
    SELECT id, host, pid, engines, refuses, http_capacity AS http, browser_capacity AS browser, started_at, metrics
    FROM gleaner.workers WHERE seen_at > now() - ${ALIVE_SECONDS} * interval '1 second' ORDER BY host, id LIMIT 500`;
}

/** The row of a query that always gives one. */
function only<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('Postgres gave no row');
  return row;
}

async function readRuns({ sql }: Database): Promise<OperatorView['runs']> {
  return only(
    await sql<OperatorView['runs'][]>`
      SELECT count(*) FILTER (WHERE state = 'pending')::int AS pending,
        count(*) FILTER (WHERE state = 'running')::int AS running,
        extract(epoch FROM now() - min(created_at) FILTER (WHERE state = 'pending'))::float8 AS oldest_pending_seconds
      FROM gleaner.runs WHERE state IN ('pending', 'running')`,
  );
}

async function readWaiting({ sql }: Database): Promise<OperatorView['waiting']> {
  const rows = await sql<{ reason: string; tasks: number; until: string }[]>`
    SELECT waits_for AS reason, sum(remaining)::int AS tasks, min(not_before) AS until
    FROM gleaner.chunks WHERE state = 'pending' AND not_before > now() AND waits_for IS NOT NULL
    GROUP BY 1 ORDER BY 2 DESC LIMIT 20`;
  return rows.map(({ until, ...row }) => ({ ...row, until: new Date(until).toISOString() }));
}

/** Deliveries to a webhook that fails wait for it: only others can be overdue. */
async function readWebhooks({ sql }: Database): Promise<OperatorView['webhooks']> {
  return only(
    await sql<OperatorView['webhooks'][]>`
      SELECT count(*) FILTER (WHERE o.state = 'pending')::int AS pending,
        count(*) FILTER (WHERE o.state = 'pending' AND (o.attempts > 0 OR w.resumes_at IS NOT NULL))::int AS failing,
        count(*) FILTER (WHERE o.state = 'failed')::int AS failed,
        extract(epoch FROM now() - min(o.due_at)
          FILTER (WHERE o.state = 'pending' AND o.due_at < now() AND w.resumes_at IS NULL))::float8 AS oldest_due_seconds
      FROM gleaner.outbox o LEFT JOIN gleaner.webhooks w ON w.id = o.webhook_id`,
  );
}

async function readDatabase({ db, config }: ViewServices): Promise<OperatorView['database']> {
  const { sql } = db;
  const [{ disk_free: diskFree }, tables, activity] = await Promise.all([
    readStored(db, ''),
    // Partitions count for the table that they are parts of.
    sql<{ name: string; bytes: string; rows: string | null }[]>`
      SELECT coalesce(parent.relname, c.relname) AS name, sum(pg_total_relation_size(c.oid)) AS bytes,
        -- A table that was never vacuumed has reltuples -1; n_live_tup counts since the statistics began.
        CASE WHEN max(c.reltuples) >= 0 OR sum(s.n_live_tup) > 0 OR sum(pg_relation_size(c.oid)) = 0
          THEN sum(greatest(c.reltuples, s.n_live_tup, 0))::bigint END AS rows
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
      LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class parent ON parent.oid = i.inhparent
      WHERE n.nspname = 'gleaner' AND c.relkind = 'r'
      GROUP BY 1 ORDER BY 2 DESC LIMIT 20`,
    sql<(Pick<OperatorView['database'], 'connections' | 'oldest_transaction_seconds'> & { bytes: string })[]>`
      SELECT pg_database_size(current_database()) AS bytes, count(*)::int AS connections,
        extract(epoch FROM now() - min(xact_start) FILTER (WHERE pid <> pg_backend_pid()))::float8
          AS oldest_transaction_seconds
      FROM pg_stat_activity WHERE datname = current_database()`,
  ]);
  const { bytes: all, ...state } = only(activity);
  return {
    bytes: Number(all),
    disk_free: diskFree,
    account_limit_bytes: config.accountBytes,
    ...state,
    tables: tables.map(({ name, bytes, rows }) => ({
      name,
      bytes: Number(bytes),
      rows: rows === null ? null : Number(rows),
    })),
  };
}

function sumFetches(all: readonly (readonly Metric[] | null)[]): OperatorView['fetches'] {
  const sums = new Map<string, OperatorView['fetches'][number]>();
  for (const metrics of all) {
    for (const { labels, value } of valuesOf(metrics, 'gleaner_fetches_total')) {
      const { engine = '', tier = '', outcome = '' } = labels;
      const key = `${engine} ${tier} ${outcome}`;
      const known = sums.get(key) ?? { engine, tier, outcome, count: 0 };
      sums.set(key, { ...known, count: known.count + value });
    }
  }
  return [...sums.values()].sort((a, b) => b.count - a.count);
}

/** Reads queues, workers, runs, webhooks and the database. */
export async function readOperatorView(services: ViewServices): Promise<OperatorView> {
  const { db, queue } = services;
  const [ready, paused, queues, workers, runs, waiting, webhooks, database] = await Promise.all([
    readiness(services),
    readPausedQueues(db),
    Promise.all(QUEUES.map(async (name) => ({ name, counts: { ...(await queue.counts(name)) } }))),
    readWorkers(db),
    readRuns(db),
    readWaiting(db),
    readWebhooks(db),
    readDatabase(services),
  ]);
  return {
    readiness: ready,
    queues: queues.map((one) => ({ ...one, paused: paused.has(one.name) })),
    workers: workers.map(({ http, browser, metrics, started_at, ...worker }) => ({
      ...worker,
      capacity: { http, browser },
      started_at: new Date(started_at).toISOString(),
      memory_bytes: valuesOf(metrics, 'process_resident_memory_bytes')[0]?.value ?? null,
    })),
    runs,
    waiting,
    webhooks,
    database,
    fetches: sumFetches(workers.map(({ metrics }) => metrics)),
  };
}
