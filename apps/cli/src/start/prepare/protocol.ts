import { z } from 'zod';
import { credentialsSchema } from '../credentials-file.ts';

/** The message of `gleaner start` to its short-lived process that prepares the database. */
export const prepareInputSchema = z.object({
  databaseUrl: z.string(),
  directDatabaseUrl: z.string(),
  dataDir: z.string(),
  baseUrl: z.string(),
  operatorPassword: z.string(),
  secretKey: z.string(),
});
export type PrepareInput = z.infer<typeof prepareInputSchema>;

const preparedSchema = z.object({
  credentials: credentialsSchema,
  /** Whether the key was created now: the caller shows it once. */
  isNew: z.boolean(),
  /** Signs in once. Absent when the key was revoked. */
  signInUrl: z.string().optional(),
});
export type Prepared = z.infer<typeof preparedSchema>;

/** The answer of that process: the result, a mistake that the user can correct, or a bug with its stack. */
export const prepareAnswerSchema = z.union([
  z.object({ prepared: preparedSchema }),
  z.object({ fault: z.string() }),
  z.object({ bug: z.string() }),
]);
export type PrepareAnswer = z.infer<typeof prepareAnswerSchema>;
