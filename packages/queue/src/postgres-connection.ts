import {
  assertSchemaCompatibility,
  PostgresConnection,
  PostgresQueueBackend,
  type BackendFactory,
  type PostgresConnectionOptions,
} from 'bullmq';
import type pg from 'pg';
import type { SharedListener } from './shared-listener.ts';

export interface SharedConnections {
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
