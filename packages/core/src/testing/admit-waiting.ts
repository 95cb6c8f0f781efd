import type { Services } from '../platform/context.ts';
import { listDueAccounts, markWaitingAccounts } from '../runs/sweep/sweep-chunks.ts';

/** Admits what every account may run now, also after a test changed rows behind the engine's back. Delivers nothing. */
export async function admitWaiting(services: Pick<Services, 'db'>): Promise<void> {
  await markWaitingAccounts(services);
  for (const account of await listDueAccounts(services)) {
    await services.db.sql`SELECT * FROM engine.admit_due(${account})`;
  }
}
