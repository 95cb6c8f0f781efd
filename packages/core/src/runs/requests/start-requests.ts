import type { Services } from '../../platform/context.ts';
import { mayBeOneRow } from '../../platform/groups/database-errors.ts';
import { createGroups, type Groups } from '../../platform/groups/create-groups.ts';
import type { StoredSpec } from '../tasks/sealed-spec.ts';
import { BeyondWorker, WORK_LEVEL } from '../tasks/work-level.ts';

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
 * What a delivery led to. Null: it is late or a duplicate, or the request was cancelled. `BeyondWorker`: it must go back
 * to the queue.
 */
export type Start = StartedRequest | BeyondWorker | null;

type StartServices = Pick<Services, 'db'>;

async function startGroup(
  { db }: StartServices,
  workerId: string,
  requests: readonly RequestKey[],
): Promise<Start[]> {
  const rows = await db.sql<
    { place: number; account_id: string | null; spec: unknown; remaining_ms: number }[]
  >`
    SELECT * FROM engine.start_requests(
      p_ids => ${requests.map(({ id }) => id)}::text[],
      p_attempts => ${`{${requests.map(({ attempt }) => attempt).join(',')}}`}::text::int[],
      p_worker => ${workerId}, p_lease_ms => ${REQUEST_LEASE_MS}, p_level => ${WORK_LEVEL})`;
  const started: Start[] = requests.map(() => null);
  for (const { place, account_id, spec, remaining_ms } of rows) {
    started[place - 1] =
      account_id === null
        ? new BeyondWorker()
        : { accountId: account_id, spec: asStoredSpec(spec), deadlineAt: Date.now() + remaining_ms };
  }
  return started;
}

/** Takes delivered requests in groups. Resolves like `startRequest`. */
export function createStarter(services: StartServices, workerId: string): Groups<RequestKey, Start> {
  return createGroups({
    maxInFlight: 2,
    maxItems: 256,
    mayBeOneItem: mayBeOneRow,
    run: (requests) => startGroup(services, workerId, requests),
  });
}

/**
 * Takes a delivered request. Returns null when the delivery is late or a duplicate, or the request was cancelled.
 * @throws BeyondWorker
 */
export async function startRequest(
  services: StartServices,
  { workerId, ...key }: RequestKey & { workerId: string },
): Promise<StartedRequest | null> {
  const [started] = await startGroup(services, workerId, [key]);
  if (started instanceof BeyondWorker) throw started;
  return started ?? null;
}

/** Returns false when another attempt holds the request or it has ended. The caller must then drop the work. */
export async function renewRequest({ db }: StartServices, { id, attempt }: RequestKey): Promise<boolean> {
  const [row] = await db.sql<{ renewed: boolean }[]>`
    SELECT engine.renew_request(${id}, ${attempt}, ${REQUEST_LEASE_MS}) AS renewed`;
  return row?.renewed === true;
}
