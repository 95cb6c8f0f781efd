import { openSystem, type SharedSystem } from '../system/use-system.ts';
import { openDashboard, type OpenDashboard } from './open-dashboard.ts';

export type { Page } from './open-dashboard.ts';

export interface Dashboard extends OpenDashboard {
  system: SharedSystem;
}

/** The dashboard of the run's system, which test/global-setup.ts built, and a browser to look at it. */
export async function startDashboard(): Promise<Dashboard> {
  const system = openSystem();
  const opened = await openDashboard(system, system.databaseUrl);
  return {
    ...opened,
    system,
    close: async () => {
      await opened.close();
      await system.close();
    },
  };
}
