import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Database } from '@gleaner/db';
import type { Registry } from 'prom-client';
import type { Config } from '../config/load-config.ts';
import { createGauge } from './metrics.ts';

export interface LevelServices {
  db: Database;
  config: Pick<Config, 'dataDir' | 'keepRunsDays' | 'keepDeliveriesDays' | 'keepLedgerDays'>;
}

/** Work that waits for a worker: requests with a slot, and runs of accounts that have a free slot. */
export async function queueAge({ db }: LevelServices, registry: Registry): Promise<void> {
  const gauge = createGauge(
    registry,
    'gleaner_queue_age_seconds',
    'Age of the oldest request or run that has a slot and of which no worker has taken anything. Absent: none waits.',
    ['queue'],
  );
  const rows = await db.sql<{ queue: string; age: number }[]>`
    SELECT queue, extract(epoch FROM now() - min(created_at))::float8 AS age FROM (
      SELECT queue, created_at FROM gleaner.requests WHERE state = 'queued'
      UNION ALL
      SELECT r.queue, r.created_at FROM gleaner.turns t JOIN gleaner.runs r
        ON r.account_id = t.account_id AND r.queue = t.queue AND r.is_open AND r.state = 'pending'
      WHERE t.state = 'ready'
    ) waiting GROUP BY queue`;
  for (const { queue, age } of rows) gauge.set({ queue }, Math.max(0, age));
}

/** Deliveries of webhooks that are due. The index of due ones gives both figures. */
export async function webhookBacklog({ db }: LevelServices, registry: Registry): Promise<void> {
  const due = createGauge(
    registry,
    'gleaner_webhooks_due',
    'Webhook deliveries that are due, at most 10000.',
  );
  const late = createGauge(
    registry,
    'gleaner_webhook_age_seconds',
    'How long the oldest webhook delivery has been due.',
  );
  const [row] = await db.sql<{ due: number; age: number | null }[]>`
    SELECT count(*)::int AS due, extract(epoch FROM now() - min(due_at))::float8 AS age FROM (
      SELECT due_at FROM gleaner.outbox WHERE state = 'pending' AND due_at < now()
      ORDER BY due_at LIMIT 10000
    ) due`;
  due.set(row?.due ?? 0);
  late.set(row?.age ?? 0);
}

/** The sessions of this database that the service's user may see. */
export async function databaseSessions({ db }: LevelServices, registry: Registry): Promise<void> {
  const oldest = createGauge(
    registry,
    'gleaner_database_oldest_transaction_seconds',
    'Age of the oldest open transaction in the database.',
  );
  const connections = createGauge(registry, 'gleaner_database_connections', 'Connections to the database.');
  const limit = createGauge(
    registry,
    'gleaner_database_max_connections',
    "Postgres's max_connections, for all its databases.",
  );
  const [row] = await db.sql<{ age: number | null; connections: number; max: number }[]>`
    SELECT extract(epoch FROM now() - min(xact_start) FILTER (WHERE pid <> pg_backend_pid()))::float8 AS age,
      count(*)::int AS connections, current_setting('max_connections')::int AS max
    FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`;
  oldest.set(row?.age ?? 0);
  connections.set(row?.connections ?? 0);
  limit.set(row?.max ?? 0);
}

/** How far the removal of old records is behind its terms. Each query reads one end of an index. */
export async function retentionLag({ db, config }: LevelServices, registry: Registry): Promise<void> {
  const gauge = createGauge(
    registry,
    'gleaner_retention_overdue_seconds',
    'How long the oldest record has been due for removal, by kind.',
    ['kind'],
  );
  const [row] = await db.sql<Record<'runs' | 'deliveries' | 'ledger', number | null>[]>`
    SELECT
      extract(epoch FROM now() - (SELECT min(finished_at) FROM gleaner.runs WHERE finished_at IS NOT NULL))::float8
        AS runs,
      extract(epoch FROM now() - (SELECT min(created_at) FROM gleaner.outbox WHERE state <> 'pending'))::float8
        AS deliveries,
      extract(epoch FROM now() - (SELECT created_at FROM gleaner.ledger_entries ORDER BY id LIMIT 1))::float8
        AS ledger`;
  const terms = {
    runs: config.keepRunsDays,
    deliveries: config.keepDeliveriesDays,
    ledger: config.keepLedgerDays,
  };
  for (const kind of ['runs', 'deliveries', 'ledger'] as const) {
    gauge.set({ kind }, Math.max(0, (row?.[kind] ?? 0) - terms[kind] * 86_400));
  }
}

/** Space on the disk of this machine's data folder: with the embedded Postgres, the disk of everything. */
export async function diskSpace({ config }: LevelServices, registry: Registry): Promise<void> {
  const free = createGauge(
    registry,
    'gleaner_disk_free_bytes',
    "Free space on the disk of the API's data folder.",
  );
  const size = createGauge(registry, 'gleaner_disk_bytes', "Size of the disk of the API's data folder.");
  const { bavail, blocks, bsize } = await statfs(nearestFolder(resolve(config.dataDir)));
  free.set(bavail * bsize);
  size.set(blocks * bsize);
}

/** The folder, or the nearest one above it that exists. */
export function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}
