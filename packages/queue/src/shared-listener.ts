import { createTurns } from '@gleaner/contracts';
import pg from 'pg';
import type { Log } from './backend.ts';

/** How soon a silently dropped connection is probed. */
const KEEP_ALIVE_MS = 10_000;

/** The one connection of a process that listens for BullMQ's notifications. */
export interface SharedListener {
  /** The connected client. Opened on first use, and again after it was lost. */
  client(): Promise<pg.Client>;
  /** Calls back whenever the connection is lost: its subscriptions are gone. @returns a function that ends the calls */
  onLost(callback: () => void): () => void;
  close(): Promise<void>;
}

/** Sends one query of a client at a time. Workers subscribe at once, and pg 9 refuses a query while another one runs. */
function queueQueries(client: pg.Client): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const takeTurn = createTurns(1);
  Object.assign(client, { query: (...args: unknown[]) => takeTurn(() => query(...args)) });
}

export function createSharedListener(config: pg.ClientConfig, log: Log): SharedListener {
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

  return {
    client: () => (opened ??= start()),
    onLost: (callback) => {
      watchers.add(callback);
      return () => watchers.delete(callback);
    },
    close: async () => {
      const client = await opened?.catch(() => undefined);
      watchers.clear();
      await client?.end();
    },
  };
}
