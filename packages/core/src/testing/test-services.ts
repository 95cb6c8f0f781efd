import { createTestDatabase, type TestBackend, type TestDatabase } from '@gleaner/db/testing';
import { createQueueBackend } from '@gleaner/queue';
import { createAccount, type NewAccount } from '../accounts/change-accounts.ts';
import { loadConfig } from '../platform/config/load-config.ts';
import type { Context, Services } from '../platform/context.ts';
import { createLogger } from '../platform/log/log.ts';

/** Services on a database of their own; `close` ends them all. */
export interface TestServices {
  services: Services;
  database: TestDatabase;
  close: () => Promise<void>;
}

export async function openTestServices(
  backend: TestBackend = { kind: 'postgres', redisUrl: undefined },
): Promise<TestServices> {
  const database = await createTestDatabase();
  const log = createLogger('test', 'silent');
  const queue = await createQueueBackend({ redisUrl: backend.redisUrl, databaseUrl: database.url, log });
  const services: Services = {
    config: loadConfig({ DATABASE_URL: database.url }),
    db: database.db,
    queue,
    log,
    now: () => new Date(),
  };
  return {
    services,
    database,
    close: async () => {
      await queue.close();
      await database.close();
    },
  };
}

let accounts = 0;

/** A new account's id and key. */
export async function createTestAccount(
  services: Services,
  input: Partial<NewAccount> = {},
): Promise<{ accountId: string; apiKey: string }> {
  accounts += 1;
  const { account, api_key } = await createAccount(services.db, {
    name: `test ${accounts}`,
    credits: 1_000,
    ...input,
  });
  return { accountId: account.id, apiKey: api_key };
}

/** A call of this account, as the API would make it. */
export function testContext<S extends Services>(services: S, accountId: string): Context<S> {
  return {
    services,
    accountId,
    keyId: 'key_test',
    requestId: 'req_test',
    log: services.log,
    signal: new AbortController().signal,
  };
}
