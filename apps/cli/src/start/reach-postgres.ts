import { findHolder, lockFolder } from './folder-lock.ts';
import { startPostgres } from '@gleaner/embedded-postgres';
import { readRuntime } from './runtime-file.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@gleaner/embedded-postgres/fault';

export interface ReachedPostgres {
  url: string;
  /** Started for this command alone. */
  isOwn: boolean;
  leave: () => Promise<void>;
}

/** A service that is just starting writes its address when the database is migrated. */
const STARTING_MS = 40_000;

/** The data folder's Postgres: the running service's, else one started until `leave`. */
export async function reachPostgres(dataDir: string): Promise<ReachedPostgres> {
  const until = Date.now() + STARTING_MS;
  for (;;) {
    const holder = findHolder(dataDir);
    if (holder?.role !== 'service') break;
    const runtime = readRuntime(dataDir);
    if (runtime?.pid === holder.pid) {
      return { url: runtime.database_url, isOwn: false, leave: () => Promise.resolve() };
    }
    if (Date.now() > until) {
      throw new Fault(
        `The service that runs on ${dataDir} (pid ${holder.pid}) does not say where its database is.`,
        'Wait until it is ready, or stop it.',
      );
    }
    await sleep(100);
  }
  const lock = await lockFolder(dataDir, 'command');
  const lines: string[] = [];
  try {
    const server = await startPostgres({ dataDir, durable: true, log: (line) => lines.push(line) });
    const leave = async (): Promise<void> => {
      await server.stop();
      lock.release();
    };
    return { url: server.url, isOwn: true, leave };
  } catch (error) {
    lock.release();
    throw error;
  }
}
