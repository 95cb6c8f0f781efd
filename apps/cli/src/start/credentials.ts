import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Config } from '@gleaner/core';
import { createAccount, createKey, listAccounts } from '@gleaner/core';
import type { Database } from '@gleaner/db';
import { z } from 'zod';
import { Fault } from '@gleaner/embedded-postgres/fault';
import { credentialsPath, readCredentials, type Credentials } from './credentials-file.ts';
import { readJson, writePrivateJson } from './private-file.ts';

/** The account that the first start creates. */
const DEFAULT_ACCOUNT = { name: 'default', credits: 100_000, concurrency: 50 };

/**
 * Makes sure that credentials.json holds a key of the current database. It creates the account `default` in an empty
 * database, and a further key when that account exists but the file lacks its key (a lost file, another machine).
 * @returns isNew: whether it created a key, which the caller shows once
 */
export async function ensureCredentials(
  db: Database,
  input: { dataDir: string; baseUrl: string; operatorPassword: string },
): Promise<{ credentials: Credentials; isNew: boolean }> {
  const { dataDir, baseUrl, operatorPassword } = input;
  const accounts = await listAccounts(db);
  const known = readCredentials(dataDir);
  const save = (account_id: string, api_key: string): Credentials => {
    const credentials = { base_url: baseUrl, account_id, api_key, operator_password: operatorPassword };
    writePrivateJson(credentialsPath(dataDir), credentials);
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

const secretsSchema = z.object({ operator_password: z.string(), secret_key: z.string() });

/**
 * Generates the secrets that are not configured once and keeps them in secrets.json (0600).
 * @throws Fault when the file exists but can't be read: replacing it would destroy the only copy of the secret key
 */
export function ensureSecrets(
  dataDir: string,
  config: Config,
): { operatorPassword: string; secretKey: string } {
  const path = join(dataDir, 'secrets.json');
  const known = readJson(path, secretsSchema);
  if (!known && existsSync(path))
    throw new Fault(
      `${path} is damaged or not readable for this user. It holds the key that encrypts stored secrets.`,
      'Restore the file from a backup or make it readable. Without it, webhook secrets and connection URLs are lost.',
    );
  const kept = known ?? {
    operator_password: readCredentials(dataDir)?.operator_password ?? randomBytes(15).toString('base64url'),
    secret_key: randomBytes(32).toString('hex'),
  };
  if (!known) writePrivateJson(path, kept);
  return {
    operatorPassword: config.operatorPassword ?? kept.operator_password,
    secretKey: config.secretKey ?? kept.secret_key,
  };
}
