import type { Services } from '../platform/context.ts';

export interface TestSubmission {
  outcome: string;
  available: number;
}

/** Submits one interactive request as a group of its own; nothing of it reaches the queue. */
export async function submitTestRequest(
  { db }: Pick<Services, 'db'>,
  request: { id: string; accountId: string; price?: number; kind?: 'task' | 'slot'; waiter?: string },
): Promise<TestSubmission> {
  const { id, accountId, price = 1, kind = 'task', waiter = null } = request;
  const [row] = await db.sql<{ outcome: string; available: string }[]>`
    SELECT outcome, available FROM engine.submit_requests(
      p_ids => ${[id]}::text[], p_accounts => ${[accountId]}::text[], p_kinds => ${[kind]}::text[],
      p_queues => ${['interactive-http']}::text[], p_prices => ${`{${price}}`}::text::int[],
      p_timeouts_ms => '{60000}', p_parsers => '{""}', p_parsers_read => '{""}', p_specs => '{}',
      p_waiter => ${waiter}, p_lock_ms => 10000)`;
  return { outcome: row?.outcome ?? 'none', available: Number(row?.available) };
}
