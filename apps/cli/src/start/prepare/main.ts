import { Fault } from '@gleaner/embedded-postgres/fault';
import { prepareService } from './prepare-database.ts';
import { prepareInputSchema, type PrepareAnswer } from './protocol.ts';

/**
 * A process of its own, which ends when the database is ready: the supervisor stays without the database's code, and
 * so without its memory.
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
