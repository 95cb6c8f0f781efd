import type pg from 'pg';
import postgres from 'postgres';
import type { Log } from './backend.ts';
import { createSender, type Signals } from './signals.ts';

/** A payload of NOTIFY has fewer than 8,000 bytes; messages are ASCII. */
const MAX_CHARACTERS = 7_900;

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
  const send = createSender({
    maxCharacters: MAX_CHARACTERS,
    transmit: (parcels) =>
      pool.query('SELECT pg_notify(channel, text) FROM unnest($1::text[], $2::text[]) p (channel, text)', [
        parcels.map(({ channel }) => channel),
        parcels.map(({ text }) => text),
      ]),
    onError: (error) => log.warn({ err: error }, 'notices were not sent'),
  });
  const signals: Signals = {
    areTrusted: false,
    send,
    listen: async (channel, onMessage) => {
      const subscription = await sql.listen(channel, (text) => {
        for (const message of text.split('\n')) onMessage(message);
      });
      return { close: () => subscription.unlisten() };
    },
  };
  return { signals, close: () => sql.end({ timeout: 5 }) };
}
