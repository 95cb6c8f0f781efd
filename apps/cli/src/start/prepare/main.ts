import { Fault } from '../../fault.ts';
import { prepareService, type Prepared, type PrepareInput } from './prepare-database.ts';

/** The result, a mistake that the user can correct, or a bug with its stack. */
export type PrepareAnswer = { prepared: Prepared } | { fault: string } | { bug: string };

/**
 * A separate process, which ends when the database is ready. The supervisor never loads the database's code and saves
 * its memory.
 */
process.once('message', (message) => {
  // The supervisor sends nothing else.
  void answer(message as PrepareInput).then((reply) => process.send?.(reply, () => process.disconnect()));
});

async function answer(input: PrepareInput): Promise<PrepareAnswer> {
  try {
    return { prepared: await prepareService(input) };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message };
    return { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
