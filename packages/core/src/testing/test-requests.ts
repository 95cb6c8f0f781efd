import type { Services } from '../platform/context.ts';
import { createEnder, endPatiently, type RequestEnd } from '../runs/requests/end-requests.ts';
import { createStarter, type RequestKey, type StartedRequest } from '../runs/requests/start-requests.ts';

/**
 * Takes a delivered request as a group of its own.
 * @returns null when the delivery is late or a duplicate, or the request was cancelled
 */
export function startRequest(
  services: Pick<Services, 'db'>,
  { workerId, ...key }: RequestKey & { workerId: string },
): Promise<StartedRequest | null> {
  return createStarter(services, workerId).call(key);
}

/** Ends one request by its id. @param attempt null ends any attempt @returns false when this call did not end it */
export async function endRequest(
  services: Pick<Services, 'db' | 'queue' | 'log'>,
  id: string,
  attempt: number | null,
  end: RequestEnd,
): Promise<boolean> {
  const [row] = await services.db.sql<{ accountId: string }[]>`
    SELECT account_id AS "accountId" FROM gleaner.requests WHERE id = ${id}`;
  if (!row) throw new Error(`there is no request ${id}`);
  return endPatiently(createEnder(services), { id, accountId: row.accountId, attempt, end });
}
