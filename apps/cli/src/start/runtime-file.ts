import { z } from 'zod';
import { dataFile } from './private-file.ts';

const runtimeSchema = z.object({ pid: z.number().int(), base_url: z.string(), database_url: z.string() });

/** The file by which commands find the service of a data folder. It holds the database's password. */
export const runtimeFile = dataFile('runtime.json', runtimeSchema);
