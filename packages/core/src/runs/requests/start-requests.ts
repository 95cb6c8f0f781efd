import { ENGINE } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import { mayBeOneRow } from '../../platform/groups/database-errors.ts';
import { createGroups, type Groups } from '../../platform/groups/create-groups.ts';
import type { StoredSpec } from '../tasks/sealed-spec.ts';
import { WORK_LEVEL } from '../tasks/work-level.ts';

/** How long a worker owns a request before it must renew. */
export const REQUEST_LEASE_MS = 6_000;

// Written by submit_requests from a StoredSpec.
function asStoredSpec(value: unknown): StoredSpec {
  return value as StoredSpec;
}

export interface RequestKey {
  id: string;
  attempt: number;
}

export interface StartedRequest {
  accountId: string;
  /** See `openSpec`. */
  spec: StoredSpec;
  /** Milliseconds since the epoch, on this machine's clock. */
  deadlineAt: number;
}

/**
 * What a delivery led to. Null: it is late or a duplicate, the request was cancelled, or it needs a worker of a later
 * version, to which the API process delivers it again.
 */
export type Start = StartedRequest | null;

type StartServices = Pick<Services, 'db'>;

async function startGroup(
  { db }: StartServices,
  workerId: string,
  requests: readonly RequestKey[],
): Promise<Start[]> {
  const rows = await db.sql<{ place: number; account_id: string; spec: unknown; remaining_ms: number }[]>`
    SELECT * FROM ${db.sql(ENGINE)}.start_requests(
      p_ids => ${requests.map(({ id }) => id)}::text[],
      p_attempts => ${`{${requests.map(({ attempt }) => attempt).join(',')}}`}::text::int[],
      p_worker => ${workerId}, p_lease_ms => ${REQUEST_LEASE_MS}, p_level => ${WORK_LEVEL})`;
  const started: Start[] = requests.map(() => null);
  for (const { place, account_id, spec, remaining_ms } of rows) {
    started[place - 1] = {
      accountId: account_id,
      spec: asStoredSpec(spec),
      deadlineAt: Date.now() + remaining_ms,
    };
  }
  return started;
}

/** Takes delivered requests in groups: those of a job are called at once. */
export function createStarter(services: StartServices, workerId: string): Groups<RequestKey, Start> {
  return createGroups({
    maxInFlight: 2,
    maxItems: 256,
    patienceMs: () => 0,
    mayBeOneItem: mayBeOneRow,
    run: (requests) => startGroup(services, workerId, requests),
  });
}

/**
 * Renews the leases of requests that this process runs.
 * @returns the ids of the renewed ones, and of those that another attempt holds or that have ended: their work must stop.
 *   One in neither list is held by another transaction at this moment.
 */
export async function renewRequests(
  { db }: StartServices,
  keys: readonly RequestKey[],
): Promise<{ renewed: string[]; lost: string[] }> {
  const rows = await db.sql<{ id: string; renewed: boolean }[]>`
    SELECT id, renewed FROM ${db.sql(ENGINE)}.renew_requests(
      ${keys.map(({ id }) => id)}::text[], ${`{${keys.map(({ attempt }) => attempt).join(',')}}`}::text::int[],
      ${REQUEST_LEASE_MS})`;
  const found = new Set(rows.map(({ id }) => id));
  return {
    renewed: rows.filter(({ renewed }) => renewed).map(({ id }) => id),
    lost: keys.map(({ id }) => id).filter((id) => !found.has(id)),
  };
}
