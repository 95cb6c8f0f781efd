import { ENGINE } from '@gleaner/db';
import { batchQueue, ENGINES } from '@gleaner/queue';
import type { Services } from '../platform/context.ts';

/** The leader's round of turns. The start of the last round is the floor: no transaction of a test wakes turns meanwhile. */
export async function runTurns({ db }: Pick<Services, 'db'>): Promise<void> {
  for (const queue of ENGINES.map(batchQueue))
    await db.sql`SELECT ${db.sql(ENGINE)}.run_turns(${queue}, interval '1 minute', ${db.sql(ENGINE)}.turn_number('start', ${queue}))`;
}
