import { runMigrations, withBackend } from 'bullmq';
import type { Queue, Worker } from 'bullmq';
import pg from 'pg';
import { buildBackend } from './build.ts';
import type { Log, QueueBackend } from './backend.ts';
import { reconnectingPostgres } from './postgres-connection.ts';
import { prepareStatements } from './prepare-statements.ts';
import { createPostgresSignals } from './postgres-signals.ts';
import { createSharedListener } from './shared-listener.ts';
import { WAKE_UP_SETTINGS } from './wake-ups.ts';

const SCHEMA = 'gleaner_queue';

/** Migrates BullMQ's tables to the installed version. Several processes may call this at once. */
export async function migratePostgresQueue(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await runMigrations(client, SCHEMA);
  } finally {
    await client.end();
  }
}

export interface PostgresQueueOptions {
  /** A direct URL without a pooler: BullMQ listens for notifications and depends on settings of its sessions. */
  url: string;
  /** Largest number of connections, the two that listen not counted. */
  connections: number;
  applicationName: string;
  log: Log;
}

// BullMQ types jobs per backend; one job is the same on both.
function asQueue(queue: unknown): Queue {
  return queue as Queue;
}
function asWorker(worker: unknown): Worker {
  return worker as Worker;
}

/** BullMQ's own Postgres backend: no Redis needed. `migratePostgresQueue` must have run. */
export async function createPostgresBackend(options: PostgresQueueOptions): Promise<QueueBackend> {
  const { url, connections, applicationName, log } = options;
  const config: pg.ClientConfig = {
    connectionString: url,
    application_name: applicationName,
    // BullMQ's statements name no schema. A crash of Postgres may lose the last jobs: whoever waits for a request delivers
    // it again.
    options: `-c search_path=${SCHEMA} -c synchronous_commit=off`,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  };
  const pool = new pg.Pool({ ...config, max: connections });
  // Each queue and each worker adds one.
  pool.setMaxListeners(0);
  pool.on('connect', prepareStatements);
  // The pool listens for errors of idle clients alone. Without a listener, an error of a client in use ends the process.
  // The call that uses the client gets the error too.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', (error) => log.warn({ err: error }, 'postgres queue connection failed'));
  const { signals, close: closeSignals } = createPostgresSignals({ url, applicationName, pool }, log);
  const listener = createSharedListener(config, log);
  const classes = withBackend(reconnectingPostgres({ schema: SCHEMA, pool, listener }));
  return buildBackend({
    kind: 'postgres',
    log,
    signals,
    constructors: {
      queue: (name) => asQueue(new classes.Queue(name, { connection: pool, settings: WAKE_UP_SETTINGS })),
      worker: (name, processor, workerOptions) =>
        asWorker(
          new classes.Worker(name, processor, {
            ...workerOptions,
            settings: WAKE_UP_SETTINGS,
            connection: pool,
          }),
        ),
    },
    ping: async () => {
      await pool.query('SELECT 1');
    },
    close: async () => {
      await Promise.all([closeSignals(), listener.close()]);
      await pool.end();
    },
  });
}
