import {
  assertSchemaCompatibility,
  PostgresConnection,
  PostgresQueueBackend,
  type BackendFactory,
  type PostgresConnectionOptions,
} from 'bullmq';

/**
 * BullMQ's connection, except that it checks readiness again after a failure. BullMQ 6.7.0 keeps the first result: one
 * refused connection during a restart of Postgres would fail every later call with the same error.
 */
class ReconnectingConnection extends PostgresConnection {
  #ready: Promise<void> | undefined;

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

/**
 * BullMQ's Postgres backend, made to survive outages of Postgres, even one during startup. A worker's connection has
 * the queue's name, because BullMQ finds the workers of a queue by it.
 */
export const reconnectingPostgres: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (
  name,
  options,
  { withBlockingConnection = false } = {},
) =>
  new ReconnectingBackend(
    new ReconnectingConnection(options.connection),
    name,
    options,
    true,
    withBlockingConnection ? name : undefined,
  );
