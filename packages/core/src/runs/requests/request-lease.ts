import type { StoredError } from '@gleaner/contracts';
import { openConfig, type StoredConfig } from '../tasks/sealed-config.ts';
import type { TaskSpec } from '../tasks/task-spec.ts';
import type { Services } from '../../platform/context.ts';
import { deliverAdmitted, listFaults, type AdmittedRow, type SweepRow } from '../deliveries/admitted.ts';

/** How long a worker owns a request before it must renew. */
export const REQUEST_LEASE_MS = 6_000;
/** A request whose workers died this often is given up. */
export const MAX_REQUEST_ATTEMPTS = 3;

type RequestServices = Pick<Services, 'db' | 'queue' | 'log'>;

// Written by runRequest from a TaskSpec.
function asStoredSpec(value: unknown): Omit<TaskSpec, 'config'> & { config: StoredConfig } {
  return value as Omit<TaskSpec, 'config'> & { config: StoredConfig };
}

export interface StartedRequest {
  accountId: string;
  spec: TaskSpec;
  /** Milliseconds since the epoch, on the database's clock. */
  deadlineAt: number;
}

/** Takes a delivered request. Returns null when the delivery is late or a duplicate, or the request was cancelled. */
export async function startRequest(
  { db }: RequestServices,
  input: { id: string; attempt: number; workerId: string; secretKey?: string | undefined },
): Promise<StartedRequest | null> {
  const [row] = await db.sql<{ account_id: string; spec: unknown; remaining_ms: number }[]>`
    SELECT account_id, spec, (extract(epoch FROM deadline_at - now()) * 1000)::int AS remaining_ms
    FROM engine.start_request(${input.id}, ${input.attempt}, ${input.workerId}, ${REQUEST_LEASE_MS})`;
  if (!row) return null;
  const stored = asStoredSpec(row.spec);
  const spec = { ...stored, config: openConfig(stored.config, input) };
  return { accountId: row.account_id, spec, deadlineAt: Date.now() + row.remaining_ms };
}

/** Returns false when another attempt holds the request or it has ended: drop the work. */
export async function renewRequest(
  { db }: RequestServices,
  input: { id: string; attempt: number },
): Promise<boolean> {
  const [row] = await db.sql<{ renewed: boolean }[]>`
    SELECT engine.renew_request(${input.id}, ${input.attempt}, ${REQUEST_LEASE_MS}) AS renewed`;
  return row?.renewed === true;
}

export type RequestEnd =
  | { state: 'succeeded'; answer: string }
  | { state: 'failed' | 'cancelled'; error: StoredError };

/**
 * Ends a request in one transaction: its state, settlement or release, a notification for the API process that waits,
 * and admission of the account's next work.
 * @param attempt null ends any attempt
 * @returns false when the request had ended already or has another attempt
 */
export async function endRequest(
  services: RequestServices,
  id: string,
  attempt: number | null,
  end: RequestEnd,
): Promise<boolean> {
  const answer = end.state === 'succeeded' ? end.answer : null;
  const error = end.state === 'succeeded' ? null : JSON.stringify(end.error);
  const rows = await services.db.sql<(AdmittedRow & { done: boolean })[]>`
    SELECT done, (delivery).* FROM engine.end_request(${id}, ${attempt}, ${end.state}, ${answer}, ${error}::jsonb)`;
  await deliverAdmitted(services.queue, services.log, rows);
  return rows[0]?.done === true;
}

/** Ends a request after its client has gone and notifies the worker that runs it. */
export async function cancelRequest(services: RequestServices, id: string): Promise<void> {
  const done = await endRequest(services, id, null, {
    state: 'cancelled',
    error: { code: 'temporarily_unavailable', detail: 'the client went away' },
  });
  if (done) await services.db.sql`SELECT engine.notify_workers(${id})`;
}

/** Runs requests again after their worker died and ends those past their deadline. Any number of processes may call it. */
export async function sweepRequests(services: RequestServices): Promise<number> {
  const rows = await services.db.sql<SweepRow[]>`
    SELECT fault, (delivery).* FROM engine.sweep_requests(${MAX_REQUEST_ATTEMPTS})`;
  const faults = listFaults(rows);
  if (faults.length > 0) {
    services.log.warn(
      { count: faults.length, faults: faults.slice(0, 5) },
      'parts of a sweep failed; trying again',
    );
  }
  await deliverAdmitted(services.queue, services.log, rows);
  return rows.length - faults.length;
}
