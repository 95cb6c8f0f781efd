import {
  assertSchemaCompatibility,
  PostgresConnection,
  PostgresQueueBackend,
  type BackendFactory,
  type PostgresConnectionOptions,
} from 'bullmq';
import { createTurns } from '@gleaner/contracts';
import pg from 'pg';
import type { Log } from './backend.ts';

/** How soon a silently dropped connection is probed. */
const KEEP_ALIVE_MS = 10_000;

export type SharedListener = ReturnType<typeof createSharedListener>;

/** Sends one query of a client at a time. Workers subscribe at once, and pg 9 refuses a query while another one runs. */
function queueQueries(client: pg.Client): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const takeTurn = createTurns(1);
  Object.assign(client, { query: (...args: unknown[]) => takeTurn(() => query(...args)) });
}

/** How soon a subscription begins again on another connection. */
const SUBSCRIBE_AGAIN_MS = 100;

/** The one connection of a process that listens: for BullMQ's notifications, and for signals. */
export function createSharedListener(config: pg.ClientConfig, log: Log) {
  const watchers = new Set<() => void>();
  let opened: Promise<pg.Client> | undefined;

  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({ ...config, keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS });
    // Each worker that waits for a job adds a listener.
    client.setMaxListeners(0);
    client.on('error', (error) =>
      log.warn({ err: error }, 'the queue lost its connection for notifications'),
    );
    await client.connect();
    queueQueries(client);
    return client;
  };

  const start = (): Promise<pg.Client> => {
    const opening = open();
    const forget = (): void => {
      if (opened !== opening) return;
      opened = undefined;
      for (const callback of watchers) callback();
    };
    opening.then(
      (client) => client.once('end', forget),
      () => forget(),
    );
    return opening;
  };

  const connected = (): Promise<pg.Client> => (opened ??= start());
  return {
    /** The connected client. Opened on first use, and again after it was lost. */
    client: connected,
    /** Calls back whenever the connection is lost: its subscriptions are gone. @returns a function that ends the calls */
    onLost: (callback: () => void): (() => void) => {
      watchers.add(callback);
      return () => watchers.delete(callback);
    },
    /** Listens on a channel, and again on the next connection when one is lost. @returns a function that ends the messages */
    subscribe: async (channel: string, onMessage: (message: string) => void): Promise<() => void> => {
      const note = (notification: pg.Notification): void => {
        if (notification.channel === channel) onMessage(notification.payload ?? '');
      };
      const begin = async (): Promise<void> => {
        const client = await connected();
        client.off('notification', note).on('notification', note);
        await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      };
      // A connection that is lost again calls it again.
      const again = (): void => {
        setTimeout(() => {
          if (watchers.has(again)) begin().catch(() => undefined);
        }, SUBSCRIBE_AGAIN_MS).unref();
      };
      watchers.add(again);
      await begin().catch((error: unknown) => {
        watchers.delete(again);
        throw error;
      });
      return () => {
        watchers.delete(again);
        void opened?.then((client) => client.off('notification', note)).catch(() => undefined);
      };
    },
    close: async (): Promise<void> => {
      const client = await opened?.catch(() => undefined);
      watchers.clear();
      await client?.end();
    },
  };
}

interface SharedConnections {
  schema: string;
  pool: pg.Pool;
  listener: SharedListener;
}

/**
 * BullMQ's connection, with two differences. All queues and workers of a process share one pool and one connection for
 * LISTEN; BullMQ would open a pool for each and a LISTEN connection for each worker. And it checks readiness again
 * after a failure. BullMQ 6.7.0 keeps the first result: one refused connection during a restart of Postgres would fail
 * every later call with the same error.
 */
class ReconnectingConnection extends PostgresConnection {
  override readonly schema: string;
  readonly #listener: SharedListener;
  readonly #stopWatching: () => void;
  #ready: Promise<void> | undefined;

  constructor({ schema, pool, listener }: SharedConnections) {
    super(pool);
    this.schema = schema;
    this.#listener = listener;
    this.#stopWatching = listener.onLost(() => this.emit('listenerinvalidated'));
  }

  override async waitUntilReady(): Promise<void> {
    if (!this.#ready) {
      const check = this.#checkReady();
      this.#ready = check;
      check.catch(() => {
        this.#ready = undefined;
      });
    }
    return this.#ready;
  }

  override getListenClient(): Promise<pg.Client> {
    return this.#listener.client();
  }

  override get hasListenClientKeepAlive(): boolean {
    return true;
  }

  override async close(): Promise<void> {
    this.#stopWatching();
    await super.close();
  }

  async #checkReady(): Promise<void> {
    const client = await this.pool.connect();
    try {
      await assertSchemaCompatibility(client, this.schema);
    } finally {
      client.release();
    }
    // Deferred, so that listeners added in the same tick receive the event.
    setTimeout(() => this.emit('ready'), 0);
  }
}

/** Creates BullMQ's own readiness promise only when the connection is ready, so that it never keeps a failure. */
class ReconnectingBackend extends PostgresQueueBackend {
  override async waitUntilReady(): Promise<void> {
    await this.connection.waitUntilReady();
    await super.waitUntilReady();
  }
}

/** BullMQ's Postgres backend on shared connections, made to survive outages of Postgres, even one during startup. */
export function reconnectingPostgres(
  shared: SharedConnections,
): BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> {
  return (name, options) => new ReconnectingBackend(new ReconnectingConnection(shared), name, options, true);
}
