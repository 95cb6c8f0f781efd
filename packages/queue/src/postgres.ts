import { createHash } from 'node:crypto';
import { runMigrations, withBackend, type Queue, type Worker } from 'bullmq';
import pg from 'pg';
import { buildBackend, WAKE_UP_SETTINGS, type Log, type QueueBackend } from './backend.ts';
import { createSharedListener, reconnectingPostgres, type SharedListener } from './postgres-connection.ts';
import { createSender, type Signals } from './signals.ts';

/** BullMQ has fewer. A text that names its values in itself would else fill the memory of each connection. */
const MAX_STATEMENTS = 200;

/**
 * Has the client prepare each statement with parameters once. BullMQ names none of its statements, and Postgres would parse
 * and plan each call anew, which costs more than most of them take to run.
 */
function prepareStatements(client: pg.PoolClient): void {
  const names = new Map<string, string>();
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((statement: unknown, ...rest: unknown[]) => {
    if (typeof statement !== 'string' || !Array.isArray(rest[0])) return query(statement, ...rest);
    let name = names.get(statement);
    if (name === undefined) {
      if (names.size === MAX_STATEMENTS) return query(statement, ...rest);
      name = createHash('md5').update(statement).digest('hex');
      names.set(statement, name);
    }
    return query({ name, text: statement }, ...rest);
  }) as typeof client.query;
}

/**
 * Signals by LISTEN and NOTIFY, which every login of the database may use. The notices of a process leave one statement
 * after the other: Postgres lets one notifying transaction commit at a time. `pool` sends; its commits do not wait for the disk.
 */
function createPostgresSignals(pool: pg.Pool, listener: SharedListener, log: Log): Signals {
  const send = createSender(
    (messages) =>
      pool.query(
        'SELECT pg_notify(channel, message) FROM unnest($1::text[], $2::text[]) m (channel, message)',
        [messages.map(({ channel }) => channel), messages.map(({ message }) => message)],
      ),
    (error) => log.warn({ err: error }, 'notices were not sent'),
  );
  const listen: Signals['listen'] = async (channel, onMessage) => {
    const close = await listener.subscribe(channel, onMessage);
    return { close: async () => close() };
  };
  return { areTrusted: false, send, listen };
}

const SCHEMA = 'gleaner_queue';

/** Migrates BullMQ's tables to the installed version. Several processes may call this at once. */
export async function migratePostgresQueue(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // The statement under way gets it too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await runMigrations(client, SCHEMA);
  } finally {
    await client.end();
  }
}

interface PostgresQueueOptions {
  /** A direct URL without a pooler: BullMQ listens for notifications and depends on settings of its sessions. */
  url: string;
  /** Largest number of connections, the one that listens not counted. */
  connections: number;
  applicationName: string;
  /** How long a connection or a statement may take. BullMQ's statements take milliseconds, and none waits for work. */
  patienceMs: number;
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
  const { url, connections, applicationName, patienceMs, log } = options;
  const config: pg.ClientConfig = {
    connectionString: url,
    application_name: applicationName,
    // BullMQ's statements name no schema. A crash of Postgres may lose the last jobs: whoever waits for a request delivers
    // it again.
    options: `-c search_path=${SCHEMA} -c synchronous_commit=off`,
    connectionTimeoutMillis: patienceMs,
    keepAlive: true,
  };
  const pool = new pg.Pool({ ...config, max: connections, query_timeout: patienceMs });
  // Each queue and each worker adds one.
  pool.setMaxListeners(0);
  pool.on('connect', prepareStatements);
  // The pool listens for errors of idle clients alone. Without a listener, an error of a client in use ends the process.
  // The call that uses the client gets the error too.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', (error) => log.warn({ err: error }, 'postgres queue connection failed'));
  const listener = createSharedListener(config, log);
  const classes = withBackend(reconnectingPostgres({ schema: SCHEMA, pool, listener }));
  return buildBackend({
    kind: 'postgres',
    log,
    signals: createPostgresSignals(pool, listener, log),
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
      await listener.close();
      await pool.end();
    },
  });
}
