import { z } from 'zod';
import { dataFile } from './private-file.ts';

const credentialsSchema = z.object({
  base_url: z.string(),
  account_id: z.string(),
  api_key: z.string(),
  operator_password: z.string(),
});

export type Credentials = z.infer<typeof credentialsSchema>;

/** For users and programs on this machine. */
export const credentialsFile = dataFile('credentials.json', credentialsSchema);

/** By this file commands find the service of a data folder. It holds the database's password. */
export const runtimeFile = dataFile(
  'runtime.json',
  z.object({ pid: z.number().int(), base_url: z.string(), database_url: z.string() }),
);
