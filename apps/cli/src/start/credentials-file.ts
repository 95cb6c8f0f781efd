import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from './private-file.ts';

const credentialsSchema = z.object({
  base_url: z.string(),
  account_id: z.string(),
  api_key: z.string(),
  operator_password: z.string(),
});

/** The content of credentials.json (0600) in the data folder, for users and programs on this machine. */
export type Credentials = z.infer<typeof credentialsSchema>;

export function credentialsPath(dataDir: string): string {
  return join(dataDir, 'credentials.json');
}

export function readCredentials(dataDir: string): Credentials | undefined {
  return readJson(credentialsPath(dataDir), credentialsSchema);
}
