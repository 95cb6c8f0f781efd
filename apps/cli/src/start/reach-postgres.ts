import { findHolder, lockFolder } from './folder-lock.ts';
import { startPostgres } from '@gleaner/embedded-postgres';
import { runtimeFile } from './data-files.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../fault.ts';

/** A starting service writes its address after migrating the database; wait this long for it. */
const STARTING_MS = 40_000;

/**
 * Connects to the running service's Postgres, else starts the data folder's Postgres until `leave`.
 * @returns isOwn: started only for this command
 */
export async function reachPostgres(dataDir: string) {
  const until = Date.now() + STARTING_MS;
  for (;;) {
    const holder = findHolder(dataDir);
    if (holder?.role !== 'service') break;
    const runtime = runtimeFile.read(dataDir);
    if (runtime?.pid === holder.pid) {
      return { url: runtime.database_url, isOwn: false, leave: () => Promise.resolve() };
    }
    if (Date.now() > until) {
      throw new Fault(
        `The service that runs on ${dataDir} (pid ${holder.pid}) has not published its database address.`,
        'Wait until it is ready, or stop it.',
      );
    }
    await sleep(100);
  }
  const lock = await lockFolder(dataDir, 'command');
  try {
    const server = await startPostgres({ dataDir, durable: true, log: () => undefined });
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
