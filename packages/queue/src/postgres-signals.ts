import type pg from 'pg';
import postgres from 'postgres';
import type { Log } from './backend.ts';
import { createSender, type Signals } from './signals.ts';

/**
 * Signals by LISTEN and NOTIFY, which every login of the database may use. The notices of a process leave one statement
 * after the other: Postgres lets one notifying transaction commit at a time.
 * `url` leads past any pooler, for the one connection that listens. `pool` sends; its commits do not wait for the disk.
 */
export function createPostgresSignals(
  { url, applicationName, pool }: { url: string; applicationName: string; pool: pg.Pool },
  log: Log,
): { signals: Signals; close: () => Promise<void> } {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 5,
    backoff: (tries: number) => Math.min(0.05 * 2 ** tries, 0.5),
    onnotice: () => undefined,
    connection: { application_name: applicationName },
  });
  const send = createSender(
    (messages) =>
      pool.query(
        'SELECT pg_notify(channel, message) FROM unnest($1::text[], $2::text[]) m (channel, message)',
        [messages.map(({ channel }) => channel), messages.map(({ message }) => message)],
      ),
    (error) => log.warn({ err: error }, 'notices were not sent'),
  );
  const signals: Signals = {
    areTrusted: false,
    send,
    listen: async (channel, onMessage) => {
      const subscription = await sql.listen(channel, onMessage);
      return { close: () => subscription.unlisten() };
    },
  };
  return { signals, close: () => sql.end({ timeout: 5 }) };
}
