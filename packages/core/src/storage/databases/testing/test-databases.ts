import { AppError } from '@gleaner/contracts';
import { createTestDatabase } from '@gleaner/db/testing';
import { createAccount } from '../../../accounts/change-accounts.ts';
import { loadConfig } from '../../../platform/config/load-config.ts';
import type { Context } from '../../../platform/context.ts';
import { createLogger } from '../../../platform/log/log.ts';
import { createDatabase } from '../change-databases.ts';
import { createExternalDatabases, type ExternalDatabases } from '../../external/external-databases.ts';
import type { DatabaseServices } from '../database-services.ts';

/** Parts of an operation's input that it doesn't have. */
export const none = { params: undefined, query: undefined, body: undefined, upload: undefined };

const secretKey = '5'.repeat(64);

/** External databases with a guard that refuses one host and allows the others. */
export function createTestExternal(
  resolve = (host: string, port: number) => ({ address: host, port }),
  timeoutMs = 30_000,
): ExternalDatabases {
  return createExternalDatabases({
    secretKey,
    timeoutMs,
    resolveEgress: (host, port) =>
      host === 'forbidden.example'
        ? Promise.reject(new AppError('fetch_failed', { detail: 'target not allowed', hint: 'Ask.' }))
        : Promise.resolve(resolve(host, port)),
  });
}

/** A test database with two accounts and what their calls need; close it in afterAll. */
export async function openTestDatabases() {
  const test = await createTestDatabase();
  const { sql } = test.db;
  const external = createTestExternal();
  const log = createLogger('test', 'silent');
  const config = loadConfig({ GLEANER_SECRET_KEY: secretKey });

  /** Database functions use neither the queue nor what else Services may hold. */
  const toServices = (use: ExternalDatabases): DatabaseServices =>
    ({
      config,
      db: test.db,
      log,
      now: () => new Date(),
      external: use,
    }) as unknown as DatabaseServices;

  const createContext = async (name: string): Promise<Context<DatabaseServices>> => ({
    services: toServices(external),
    accountId: (await createAccount(test.db, { name, credits: 0 })).account.id,
    keyId: 'key',
    requestId: 'req',
    log,
    signal: new AbortController().signal,
  });
  const ctx = await createContext('one');
  const stranger = await createContext('two');

  let names = 0;
  const createManaged = (name = `managed ${(names += 1)}`, by = ctx) =>
    createDatabase(by, { ...none, body: { name, kind: 'managed' } });
  const createProducts = (schema: string): Promise<unknown> =>
    sql.unsafe(`CREATE TABLE "${schema}".products (
      _url text NOT NULL, _fetched_at timestamptz NOT NULL, _run_id text NOT NULL, sku text NOT NULL,
      price double precision, stock bigint, sale boolean, since date, tags jsonb, PRIMARY KEY (_url, sku))`);
  const close = async (): Promise<void> => {
    await external.close();
    await test.close();
  };
  return { test, sql, ctx, stranger, toServices, createManaged, createProducts, close };
}
