import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivateJson } from './private-file.ts';

export const credentialsSchema = z.object({
  base_url: z.string(),
  account_id: z.string(),
  api_key: z.string(),
  operator_password: z.string(),
});

/** The content of credentials.json (0600) in the data folder, for users and programs on this machine. */
export type Credentials = z.infer<typeof credentialsSchema>;

function credentialsPath(dataDir: string): string {
  return join(dataDir, 'credentials.json');
}

/** The credentials of a data folder; undefined when the file is absent or damaged. */
export function readCredentials(dataDir: string): Credentials | undefined {
  return readJson(credentialsPath(dataDir), credentialsSchema);
}

export function writeCredentials(dataDir: string, credentials: Credentials): void {
  writePrivateJson(credentialsPath(dataDir), credentials);
}
