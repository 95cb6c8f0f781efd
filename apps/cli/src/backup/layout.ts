import { z } from 'zod';

/** The first entry of a backup: what it is. */
export const FACTS = 'backup.json';
/** The cluster's files. */
export const CLUSTER = 'postgres/data';

/** Files of the data folder that go with its database. */
export const KEPT_FILES = ['secrets.json', 'credentials.json', 'postgres.json', 'database.json'] as const;

export const factsSchema = z.object({
  format: z.literal(1),
  /** Version of Gleaner. */
  version: z.string(),
  commit: z.string().nullable(),
  /** The major version and platform of Postgres: only the same can read the cluster's files. */
  postgres: z.string(),
  createdAt: z.string(),
});
export type BackupFacts = z.infer<typeof factsSchema>;
