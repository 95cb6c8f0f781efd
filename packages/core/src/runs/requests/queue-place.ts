import type { StoredError } from '@gleaner/contracts';
import type { QueueName } from '@gleaner/queue';
import type { Services } from '../../platform/context.ts';
import { readInteractivePages } from '../../platform/workers/heartbeat.ts';

/** Seconds that a page in a browser takes, roughly: only for the advice when to come back. */
const SECONDS_PER_PAGE = 5;
const MAX_RETRY_SECONDS = 120;

/** Where a request stands among those that wait for the same queue. */
interface Place {
  id: string;
  /** From 1, in the order in which the queue serves: accounts round robin, each account's oldest first. */
  place: number;
  total: number;
}

/** Places of the requests that still wait. */
export async function readPlaces(
  { db }: Pick<Services, 'db'>,
  queue: QueueName,
  ids: readonly string[],
): Promise<Place[]> {
  return db.sql<Place[]>`
    SELECT id, place, total FROM (
      SELECT id, row_number() OVER (ORDER BY round, created_at, id)::int AS place, count(*) OVER ()::int AS total
      FROM (
        SELECT id, created_at, row_number() OVER (PARTITION BY account_id ORDER BY created_at, id) AS round
        FROM gleaner.requests WHERE state = 'queued' AND queue = ${queue}
      ) waiting
    ) queued WHERE id = ANY(${[...ids]}::text[])`;
}

/** Why requests that got no page of a browser in time are given up, and when it is worth to come back. */
export async function explainNoPage(
  services: Pick<Services, 'db'>,
  queue: QueueName,
  ids: readonly string[],
  waitedMs: number,
): Promise<Map<string, StoredError>> {
  const [places, pages] = await Promise.all([
    readPlaces(services, queue, ids),
    readInteractivePages(services.db),
  ]);
  return new Map(
    places.map(({ id, place, total }) => [
      id,
      {
        code: 'temporarily_unavailable',
        detail: `no page of a browser became free within ${Math.round(waitedMs / 1_000)} s: the request is number ${place} of ${total} that wait for ${pages} ${pages === 1 ? 'page' : 'pages'}`,
        hint: 'Try again later, run it as a job, or start another worker.',
        retryAfterSeconds: Math.min(
          MAX_RETRY_SECONDS,
          Math.ceil(place / Math.max(1, pages)) * SECONDS_PER_PAGE,
        ),
      },
    ]),
  );
}
