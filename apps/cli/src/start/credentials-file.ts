import { z } from 'zod';
import { dataFile } from './private-file.ts';

export const credentialsSchema = z.object({
  base_url: z.string(),
  account_id: z.string(),
  api_key: z.string(),
  operator_password: z.string(),
});

export type Credentials = z.infer<typeof credentialsSchema>;

/** For users and programs on this machine. */
export const credentialsFile = dataFile('credentials.json', credentialsSchema);
