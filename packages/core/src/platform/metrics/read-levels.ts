import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Database } from '@gleaner/db';
import type { Registry } from 'prom-client';
import type { Config } from '../config/load-config.ts';
import { addGauge } from './metrics.ts';

export interface LevelServices {
  db: Database;
  config: Pick<Config, 'dataDir' | 'keepRunsDays' | 'keepDeliveriesDays' | 'keepLedgerDays'>;
}

/** Work that waits for a worker, by queue: requests with a slot, and runs of accounts that have a free slot. */
export function readQueueAges(db: Database) {
  return db.sql<{ queue: string; age: number }[]>`
    SELECT queue, extract(epoch FROM now() - min(created_at))::float8 AS age FROM (
      SELECT queue, created_at FROM gleaner.requests WHERE state = 'queued'
      UNION ALL
      SELECT r.queue, r.created_at FROM gleaner.turns t JOIN gleaner.runs r
        ON r.account_id = t.account_id AND r.queue = t.queue AND r.is_open AND r.state = 'pending'
      WHERE t.state = 'ready'
    ) waiting GROUP BY queue`;
}

export async function queueAge({ db }: LevelServices, registry: Registry): Promise<void> {
  const rows = await readQueueAges(db);
  addGauge(
    registry,
    'gleaner_queue_age_seconds',
    'Age of the oldest request or run that has a slot and of which no worker has taken anything. Absent: none waits.',
    rows.map(({ queue, age }) => [{ queue }, Math.max(0, age)]),
  );
}

/** Deliveries of webhooks that are due. The index of due ones gives both figures. */
export async function webhookBacklog({ db }: LevelServices, registry: Registry): Promise<void> {
  const [row] = await db.sql<{ due: number; age: number | null }[]>`
    SELECT count(*)::int AS due, extract(epoch FROM now() - min(due_at))::float8 AS age FROM (
      SELECT due_at FROM gleaner.outbox WHERE state = 'pending' AND due_at < now()
      ORDER BY due_at LIMIT 10000
    ) due`;
  addGauge(
    registry,
    'gleaner_webhooks_due',
    'Webhook deliveries that are due, at most 10000.',
    row?.due ?? 0,
  );
  const lateHelp = 'How long the oldest webhook delivery has been due.';
  addGauge(registry, 'gleaner_webhook_age_seconds', lateHelp, row?.age ?? 0);
}

/** The sessions of this database that the service's user may see. */
export async function databaseSessions({ db }: LevelServices, registry: Registry): Promise<void> {
  const [row] = await db.sql<{ age: number | null; connections: number; max: number; notices: number }[]>`
    SELECT extract(epoch FROM now() - min(xact_start) FILTER (WHERE pid <> pg_backend_pid()))::float8 AS age,
      count(*)::int AS connections, current_setting('max_connections')::int AS max,
      pg_notification_queue_usage() AS notices
    FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`;
  const add = (name: string, help: string, value = 0): void =>
    addGauge(registry, `gleaner_database_${name}`, help, value);
  add('oldest_transaction_seconds', 'Age of the oldest open transaction in the database.', row?.age ?? 0);
  add('connections', 'Connections to the database.', row?.connections);
  add('notice_queue_ratio', 'Used share of the queue of NOTIFY, which all databases share.', row?.notices);
  add('max_connections', "Postgres's max_connections, for all its databases.", row?.max);
}

/** How far the removal of old records is behind its terms. Each query reads one end of an index. */
export async function retentionLag({ db, config }: LevelServices, registry: Registry): Promise<void> {
  const [row] = await db.sql<Record<'runs' | 'deliveries' | 'ledger', number | null>[]>`
    SELECT
      extract(epoch FROM now() - (SELECT min(finished_at) FROM gleaner.runs WHERE finished_at IS NOT NULL))::float8
        AS runs,
      extract(epoch FROM now() - (SELECT min(created_at) FROM gleaner.outbox WHERE state <> 'pending'))::float8
        AS deliveries,
      extract(epoch FROM now() - (SELECT created_at FROM gleaner.ledger_entries ORDER BY id LIMIT 1))::float8
        AS ledger`;
  const overdue = (age: number | null | undefined, days: number): number =>
    Math.max(0, (age ?? 0) - days * 86_400);
  addGauge(
    registry,
    'gleaner_retention_overdue_seconds',
    'How long the oldest record has been due for removal, by kind.',
    [
      [{ kind: 'runs' }, overdue(row?.runs, config.keepRunsDays)],
      [{ kind: 'deliveries' }, overdue(row?.deliveries, config.keepDeliveriesDays)],
      [{ kind: 'ledger' }, overdue(row?.ledger, config.keepLedgerDays)],
    ],
  );
}

/** Space on the disk of this machine's data folder: with the embedded Postgres, the disk of everything. */
export async function diskSpace({ config }: LevelServices, registry: Registry): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(nearestFolder(resolve(config.dataDir)));
  const freeHelp = "Free space on the disk of the API's data folder.";
  addGauge(registry, 'gleaner_disk_free_bytes', freeHelp, bavail * bsize);
  addGauge(registry, 'gleaner_disk_bytes', "Size of the disk of the API's data folder.", blocks * bsize);
}

/** The folder, or the nearest one above it that exists. */
export function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}
