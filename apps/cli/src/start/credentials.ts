import { hostname } from 'node:os';
import { createAccount, createKey, listAccounts } from '@gleaner/core';
import type { Database } from '@gleaner/db';
import { credentialsFile, type Credentials } from './data-files.ts';

/** The account that the first start creates. */
const DEFAULT_ACCOUNT = { name: 'default', credits: 100_000, concurrency: 50 };

/**
 * Makes sure that credentials.json holds a key of the current database. It creates the account `default` in an empty
 * database, and a further key when that account exists but the file lacks its key (a lost file, another machine).
 * @returns isNew: whether it created a key, which the caller shows once
 */
export async function ensureCredentials(
  db: Database,
  { dataDir, baseUrl, operatorPassword }: { dataDir: string; baseUrl: string; operatorPassword: string },
): Promise<{ credentials: Credentials; isNew: boolean }> {
  const accounts = await listAccounts(db);
  const known = credentialsFile.read(dataDir);
  const save = (account_id: string, api_key: string): Credentials => {
    const credentials = { base_url: baseUrl, account_id, api_key, operator_password: operatorPassword };
    credentialsFile.write(dataDir, credentials);
    return credentials;
  };
  if (known && accounts.some(({ id }) => id === known.account_id)) {
    return { credentials: save(known.account_id, known.api_key), isNew: false };
  }
  const existing = accounts.find(({ name }) => name === DEFAULT_ACCOUNT.name);
  if (existing) {
    const { key } = await createKey(db.orm, { accountId: existing.id, name: `start on ${hostname()}` });
    return { credentials: save(existing.id, key), isNew: true };
  }
  const created = await createAccount(db, DEFAULT_ACCOUNT);
  return { credentials: save(created.account.id, created.api_key), isNew: true };
}
