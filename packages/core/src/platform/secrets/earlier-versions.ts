import { ENGINE, type Database } from '@gleaner/db';

/**
 * Whether a process of another version was seen in the last minutes. An earlier one can't open what is sealed at parsers,
 * crons and workflows and would do without it, so these are stored in clear meanwhile; `sealStored` seals them later.
 */
export async function mustStoreInClear({ sql }: Database): Promise<boolean> {
  const [other] = await sql`
    SELECT FROM gleaner.processes WHERE engine <> ${ENGINE} AND seen_at > now() - interval '3 minutes' LIMIT 1`;
  return other !== undefined;
}
