import { send } from './call.ts';

/** The health of the installation, as `/admin/api/health` answers. Ages are seconds. */
export interface Health {
  readiness: { ready: boolean; checks: Record<string, string> };
  queues: { name: string; counts: Record<string, number> }[];
  workers: {
    id: string;
    host: string;
    pid: number;
    engines: string[];
    refuses: string | null;
    capacity: { http: number | null; browser: number | null };
    started_at: string;
    memory_bytes: number | null;
  }[];
  runs: { pending: number; running: number; oldest_pending_seconds: number | null };
  webhooks: { pending: number; failed: number; oldest_due_seconds: number | null };
  database: {
    bytes: number;
    connections: number;
    oldest_transaction_seconds: number | null;
    tables: { name: string; bytes: number; rows: number }[];
  };
  fetches: { engine: string; tier: string; outcome: string; count: number }[];
}

export interface Account {
  id: string;
  name: string;
  active: boolean;
  credit_balance: number;
  credits_reserved: number;
  credits_used: number;
  concurrency: number;
  requests_per_minute: number;
  pending_limit: number;
  cron_limit: number;
  cron_min_interval_seconds: number;
  created_at: string;
}

export interface AccountChange {
  name?: string;
  active?: boolean;
  /** Credits to add; negative takes away. */
  grant?: number;
  concurrency?: number;
  requestsPerMinute?: number;
  pendingLimit?: number;
  cronLimit?: number;
  cronMinIntervalSeconds?: number;
}

/**
 * Calls a route of the operator. Its session is separate: when it ends, the account's session continues.
 * @throws GleanerError
 */
async function ask<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
  const response = await send(path, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}

export function readHealth(): Promise<Health> {
  return ask('/admin/api/health');
}

export function readAccounts(
  text: string,
  after: string | undefined,
): Promise<{ accounts: Account[]; next: string | null }> {
  const query = new URLSearchParams({
    ...(text === '' ? {} : { text }),
    ...(after === undefined ? {} : { after }),
  });
  return ask(`/admin/api/accounts?${query.toString()}`);
}

export function createAccount(body: {
  name: string;
  credits: number;
}): Promise<{ account: Account; api_key: string }> {
  return ask('/admin/api/accounts', 'POST', body);
}

export function changeAccount(id: string, body: AccountChange): Promise<{ account: Account }> {
  return ask(`/admin/api/accounts/${encodeURIComponent(id)}`, 'PUT', body);
}
