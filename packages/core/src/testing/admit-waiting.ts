import type { Services } from '../platform/context.ts';
import { listDueAccounts, markWaitingAccounts } from '../runs/sweep/sweep-chunks.ts';

/**
 * Admits what every account may run now, also after a test changed rows behind the engine's back. Delivers nothing.
 * @throws with the text of the fault when work of an account cannot be admitted
 */
export async function admitWaiting(services: Pick<Services, 'db'>): Promise<void> {
  await markWaitingAccounts(services);
  for (const account of await listDueAccounts(services)) {
    const rows = await services.db.sql<{ fault: string | null }[]>`
      SELECT fault FROM engine.admit_due(${account})`;
    const faults = rows.flatMap(({ fault }) => fault ?? []);
    if (faults.length > 0) throw new Error(faults.join('; '));
  }
}
