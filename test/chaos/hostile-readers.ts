import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';

const TABLES = `SELECT format('%I', relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema::regnamespace`;
const HUGE_ERROR = `SELECT ('x' || repeat('a', 50000000))::int`;
const NOTICES = `DO $$ BEGIN FOR i IN 1..500 LOOP PERFORM pg_notify('chaos', i || repeat('x', 7900)); END LOOP; END $$`;

/**
 * Uses read-only logins as badly as Postgres lets them for so long: keeps all tables in a transaction, keeps and fills the queue of
 * notices, and causes huge errors. What ends their sessions is expected; each comes again.
 */
export async function hurtByReaders(urls: readonly string[], forMs: number): Promise<void> {
  const until = Date.now() + forMs;
  const again = async (url: string, work: (session: postgres.Sql) => Promise<unknown>): Promise<void> => {
    while (Date.now() < until) {
      // The error of the statement for types would have no catcher when the session is ended.
      const session = postgres(url, {
        max: 1,
        connect_timeout: 2,
        fetch_types: false,
        onnotice: () => undefined,
      });
      await Promise.race([
        session
          .unsafe('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
          .then(() => work(session))
          .catch(() => undefined),
        delay(Math.max(0, until - Date.now())),
      ]);
      await session.end({ timeout: 0 });
      await delay(200);
    }
  };
  const hold = async (session: postgres.Sql): Promise<void> => {
    const tables = await session.unsafe<{ name: string }[]>(TABLES);
    await session.unsafe('LISTEN chaos');
    await session.unsafe('BEGIN');
    for (const { name } of tables) await session.unsafe(`SELECT count(*) FROM ${name}`);
    while (Date.now() < until) {
      await session.unsafe('SELECT 1');
      await delay(100);
    }
  };
  await Promise.all(
    urls.flatMap((url) => [
      again(url, hold),
      again(url, (session) => session.unsafe(NOTICES)),
      again(url, (session) => session.unsafe(HUGE_ERROR)),
    ]),
  );
}
