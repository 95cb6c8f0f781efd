import type { Services } from '../../platform/context.ts';
import { deliverAdmitted, listFaults, type SweepRow } from '../deliveries/admitted.ts';

/** A request ends after this many of its workers died. */
const MAX_REQUEST_ATTEMPTS = 3;

/** Runs requests again after their worker died and ends those past their deadline. Any number of processes may call it. */
export async function sweepRequests(services: Pick<Services, 'db' | 'queue' | 'log'>): Promise<number> {
  const rows = await services.db.sql<SweepRow[]>`
    SELECT fault, (delivery).* FROM engine.sweep_requests(${MAX_REQUEST_ATTEMPTS})`;
  const faults = listFaults(rows);
  if (faults.length > 0) {
    services.log.warn(
      { count: faults.length, faults: faults.slice(0, 5) },
      'parts of a sweep failed; the next round tries again',
    );
  }
  await deliverAdmitted(services.queue, services.log, rows);
  return rows.length - faults.length;
}
