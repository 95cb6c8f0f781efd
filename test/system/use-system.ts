import { createDatabase, type Database } from '@gleaner/db';
import { afterAll, inject } from 'vitest';
import { createClients, type System } from './start-system.ts';

/** Where the system of the run is. */
export interface RunSystem {
  baseUrl: string;
  databaseUrl: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    system: RunSystem;
  }
}

export interface SharedSystem extends RunSystem, Pick<System, 'client'> {
  /** Holds the accounts of all files: a statement names its own rows. */
  db: Database;
  /** Leaves the system to the other files. */
  close(): Promise<void>;
}

/**
 * The run's one system, on Postgres alone, for files that neither stop it nor set it up: each makes accounts of its
 * own. test/global-setup.ts starts it for the files of some folders; another file starts its own.
 */
export function openSystem(): SharedSystem {
  const { baseUrl, databaseUrl } = inject('system');
  const db = createDatabase(databaseUrl, { max: 2 });
  return { baseUrl, databaseUrl, db, client: createClients(db, baseUrl), close: () => db.close() };
}

/** The run's system, for all tests of a file or suite. */
export function useSystem(): SharedSystem {
  const system = openSystem();
  afterAll(() => system.close());
  return system;
}
