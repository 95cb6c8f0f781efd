/** A process that loses connections in the midst of transactions, and prints what its next statements did. */
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase } from '../database.ts';

// postgres.js lets errors of lost connections escape; processes of the service log them.
process.on('uncaughtException', () => undefined);
process.on('unhandledRejection', () => undefined);

const LIMIT_MS = 8_000;
const db = createDatabase(process.argv[2] ?? '', { max: 2 });

async function outcomeOf(work: Promise<string>): Promise<string> {
  const limit = new AbortController();
  const hanging = delay(LIMIT_MS, 'never ended', { signal: limit.signal }).catch(() => '');
  const outcome = await Promise.race([work.catch((error: Error) => `failed: ${error.message}`), hanging]);
  limit.abort();
  return outcome;
}

async function ask(number: number): Promise<string> {
  const [row] = await db.sql<{ number: number }[]>`SELECT ${number}::int AS number`;
  return row?.number === number ? 'right' : `wrong: ${JSON.stringify(row)}`;
}

const outcomes: string[] = [];
for (let round = 0; round < 10; round += 1) {
  outcomes.push(
    await outcomeOf(
      db.sql.begin(async (tx) => {
        await tx`SELECT 1`;
        await tx`SELECT pg_terminate_backend(pg_backend_pid())`;
        return 'committed';
      }),
    ),
  );
  outcomes.push(
    ...(await Promise.all(Array.from({ length: 6 }, (_, at) => outcomeOf(ask(round * 10 + at))))),
  );
}
process.stdout.write(JSON.stringify(outcomes));
process.exit();
