import type { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { errorCodeOf } from '@gleaner/db/error-codes';
import postgres from 'postgres';
import { serverMessage } from './server-message.ts';
import { runTransaction } from './foreign-transaction.ts';
import { guardAnswers } from './guard-answers.ts';
import { openConnection, type PinnedAddress } from './open-connection.ts';
import type { ThreadData, ThreadReply, ThreadRequest } from './foreign-thread.ts';

/**
 * Speaks to one account's own Postgres. The driver trusts every message of a server, so a hostile one can make this thread
 * loop, run out of memory or throw. Its process then ends the thread, and nothing else.
 */

const MAX_CONNECTIONS = 3;
const IDLE_TIMEOUT_SECONDS = 20;
/** Connections in a row that were closed before the server was ready. */
const MAX_FAILED = 3;

/** The option for the function that opens sockets, which the types of postgres.js 3.4 lack. */
type Settings = postgres.Options<Record<string, postgres.PostgresType>> & { socket: () => Promise<Socket> };

const port = parentPort;
if (port === null) throw new Error('this is not a thread');
// Given by createForeignThread.
const { target } = workerData as ThreadData;
let address: PinnedAddress | undefined;
let failed = 0;

async function openSocket(): Promise<Socket> {
  if (address === undefined) throw new Error('no address is known');
  if (failed >= MAX_FAILED) {
    failed = 0;
    throw Object.assign(new Error('it closes its connections'), { code: 'ECONNRESET' });
  }
  failed += 1;
  const socket = await openConnection(target, address);
  guardAnswers(socket, () => {
    failed = 0;
  });
  return socket;
}

const settings: Settings = {
  host: target.host,
  port: target.port,
  database: target.database,
  user: target.user,
  password: target.password,
  max: MAX_CONNECTIONS,
  // `openConnection` has done it.
  ssl: false,
  connect_timeout: 10,
  idle_timeout: IDLE_TIMEOUT_SECONDS,
  max_lifetime: 600,
  fetch_types: false,
  // Many hosted services use poolers in transaction mode, which don't support named statements.
  prepare: false,
  backoff: () => 0.05,
  onnotice: () => undefined,
  connection: { application_name: 'gleaner', TimeZone: 'UTC' },
  socket: openSocket,
};
const sql = postgres(settings);
let facts: { schema: string | null; version: number } | undefined;

async function answer({ id, transaction }: Exclude<ThreadRequest, 'close'>): Promise<ThreadReply> {
  try {
    facts ??= (
      await sql<{ schema: string | null; version: number }[]>`
        SELECT current_schema() AS schema, current_setting('server_version_num')::int AS version`
    )[0];
    const rows = transaction.statements.length === 0 ? [] : await runTransaction(sql, transaction);
    return { id, rows, schema: facts?.schema ?? null, version: facts?.version ?? 0 };
  } catch (error) {
    const severity = error instanceof Error && 'severity' in error ? String(error.severity) : undefined;
    return { id, error: { message: serverMessage(error), code: errorCodeOf(error), severity } };
  }
}

port.on('message', (request: ThreadRequest) => {
  if (request === 'close') {
    void sql.end({ timeout: 2 }).finally(() => process.exit());
    return;
  }
  address = request.address;
  void answer(request).then((reply) => port.postMessage(reply));
});
