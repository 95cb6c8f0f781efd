import {
  assertSchemaCompatibility,
  PostgresConnection,
  PostgresQueueBackend,
  type BackendFactory,
  type PostgresConnectionOptions,
} from 'bullmq';

/**
 * BullMQ's connection, whose readiness is asked for again after it failed. BullMQ 6.7.0 keeps the first answer: one
 * refused connection while Postgres restarts would fail every later call with that same error.
 */
class ReconnectingConnection extends PostgresConnection {
  #ready: Promise<void> | undefined;

  override async waitUntilReady(): Promise<void> {
    if (!this.#ready) {
      const asked = this.#ask();
      this.#ready = asked;
      asked.catch(() => {
        this.#ready = undefined;
      });
    }
    return this.#ready;
  }

  async #ask(): Promise<void> {
    const client = await this.pool.connect();
    try {
      await assertSchemaCompatibility(client, this.schema);
    } finally {
      client.release();
    }
    // Those who listen since the same turn of the event loop hear of it.
    setTimeout(() => this.emit('ready'), 0);
  }
}

/** Keeps no failed readiness either: BullMQ's own promise is only made once the connection is ready. */
class ReconnectingBackend extends PostgresQueueBackend {
  override async waitUntilReady(): Promise<void> {
    await this.connection.waitUntilReady();
    await super.waitUntilReady();
  }
}

/**
 * BullMQ's Postgres backend for queues and workers that outlive any outage of Postgres, one at their start included.
 * A worker's connection bears the queue's name, by which BullMQ finds the workers of a queue.
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
