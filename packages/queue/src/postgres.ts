import { runMigrations, withBackend } from 'bullmq';
import type { Queue, Worker } from 'bullmq';
import pg from 'pg';
import { buildBackend } from './build.ts';
import type { Log, QueueBackend } from './backend.ts';
import { lastingPostgres } from './postgres-connection.ts';
import { createSparingWarnings } from './sparing-warnings.ts';

const SCHEMA = 'gleaner_queue';

/** Brings BullMQ's own tables to the version of the installed BullMQ. Safe to call at once from several processes. */
export const migratePostgresQueue = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await runMigrations(client, SCHEMA);
  } finally {
    await client.end();
  }
};

export interface PostgresQueueOptions {
  url: string;
  log: Log;
}

// BullMQ types jobs per backend; one job is the same on both.
const asQueue = (queue: unknown): Queue => queue as Queue;
const asWorker = (worker: unknown): Worker => worker as Worker;

/** BullMQ's own Postgres backend: no Redis needed. `migratePostgresQueue` must have run. */
export const createPostgresBackend = async (options: PostgresQueueOptions): Promise<QueueBackend> => {
  const { url, log } = options;
  const classes = withBackend(lastingPostgres);
  const connection = (max: number) => ({
    connectionString: url,
    schema: SCHEMA,
    max,
    connectionTimeoutMillis: 5_000,
  });
  const pool = new pg.Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 5_000 });
  const warn = createSparingWarnings(log);
  pool.on('error', (error) => warn({ err: error }, 'postgres queue connection failed'));
  return buildBackend({
    kind: 'postgres',
    log,
    constructors: {
      queue: (name) => asQueue(new classes.Queue(name, { connection: connection(3) })),
      worker: (name, processor, workerOptions) =>
        asWorker(new classes.Worker(name, processor, { ...workerOptions, connection: connection(4) })),
    },
    ping: async () => {
      await pool.query('SELECT 1');
    },
    // Its jobs are as durable as everything else.
    readEpoch: async () => 'postgres',
    writeEpoch: async () => undefined,
    close: () => pool.end(),
  });
};
