import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Config } from '@gleaner/core/config';
import { Fault } from '../fault.ts';
import { z } from 'zod';
import { credentialsFile } from './data-files.ts';
import { dataFile } from './private-file.ts';

const secretsFile = dataFile(
  'secrets.json',
  z.object({ operator_password: z.string(), secret_key: z.string() }),
);

/**
 * Generates the secrets that are not configured once and keeps them in secrets.json (0600).
 * @throws Fault when the file exists but can't be read: replacing it would destroy the only copy of the secret key
 */
export function ensureSecrets(
  dataDir: string,
  config: Config,
): { operatorPassword: string; secretKey: string } {
  const path = secretsFile.path(dataDir);
  const known = secretsFile.read(dataDir);
  if (!known && existsSync(path))
    throw new Fault(
      `${path} is damaged or not readable for this user. It holds the key that encrypts stored secrets.`,
      'Restore the file from a backup or make it readable. Without it, webhook secrets and connection URLs are lost.',
    );
  const kept = known ?? {
    operator_password:
      credentialsFile.read(dataDir)?.operator_password ?? randomBytes(15).toString('base64url'),
    secret_key: randomBytes(32).toString('hex'),
  };
  if (!known) secretsFile.write(dataDir, kept);
  return {
    operatorPassword: config.operatorPassword ?? kept.operator_password,
    secretKey: config.secretKey ?? kept.secret_key,
  };
}
