import { Fault } from '../../fault.ts';
import { prepareService } from './prepare-database.ts';
import { prepareInputSchema, type PrepareAnswer } from './protocol.ts';

/**
 * A separate process, which ends when the database is ready. The supervisor never loads the database's code and saves
 * its memory.
 */
process.once('message', (message) => {
  void answer(message).then((reply) => process.send?.(reply, () => process.disconnect()));
});

async function answer(message: unknown): Promise<PrepareAnswer> {
  try {
    return { prepared: await prepareService(prepareInputSchema.parse(message)) };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message };
    return { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
