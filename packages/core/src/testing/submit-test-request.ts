import { ENGINE } from '@gleaner/db';
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
    SELECT outcome, available FROM ${db.sql(ENGINE)}.submit_requests(${JSON.stringify([
      { id, account: accountId, kind, queue: 'interactive-http', price, timeout_ms: 60_000, spec: {} },
    ])}::text::json, ${waiter}, 10000)`;
  return { outcome: row?.outcome ?? 'none', available: Number(row?.available) };
}
