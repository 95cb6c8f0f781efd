import postgres from 'postgres';
import type { Log } from './backend.ts';
import { createSender, type Signals } from './signals.ts';

/** A payload of NOTIFY has fewer than 8,000 bytes; messages are ASCII. */
const MAX_CHARACTERS = 7_900;

/**
 * Signals by LISTEN and NOTIFY, which every login of the database may use. All notices of a process leave over one
 * connection whose commits do not wait for the disk: Postgres lets one notifying transaction commit at a time.
 */
export function createPostgresSignals(
  url: string,
  log: Log,
): { signals: Signals; close: () => Promise<void> } {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 5,
    backoff: (tries: number) => Math.min(0.05 * 2 ** tries, 0.5),
    onnotice: () => undefined,
    connection: { application_name: 'gleaner-signals', synchronous_commit: 'off' },
  });
  const send = createSender({
    maxCharacters: MAX_CHARACTERS,
    transmit: (parcels) =>
      sql`SELECT pg_notify(channel, text) FROM unnest(
        ${parcels.map(({ channel }) => channel)}::text[], ${parcels.map(({ text }) => text)}::text[]) p (channel, text)`,
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
