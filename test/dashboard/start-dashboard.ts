import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { startSystem, type System } from '../system/start-system.ts';
import { buildDashboard, openDashboard, type OpenDashboard } from './open-dashboard.ts';

export type { Page } from './open-dashboard.ts';

export interface Dashboard extends OpenDashboard {
  system: System;
  database: TestDatabase;
}

/** The whole service with its dashboard, and a browser to look at it. */
export async function startDashboard(): Promise<Dashboard> {
  buildDashboard();
  const database = await createTestDatabase();
  const system = await startSystem({ databaseUrl: database.url });
  const opened = await openDashboard(system, database.url);
  return {
    ...opened,
    system,
    database,
    close: async () => {
      await opened.close();
      await system.stop();
      await database.close();
    },
  };
}
