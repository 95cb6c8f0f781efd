import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { Job, Reply, Request, ThreadSettings } from './protocol.ts';

/** Ten steps give about a tenth of the weight when two threads compete for a core (sched(7)). */
const BACKGROUND_STEPS = 10;

/** Lowers only this thread: on Linux "this process" means the calling thread (setpriority(2), "C library/kernel differences"). */
function giveWay(): void {
  if (process.platform !== 'linux') return;
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + BACKGROUND_STEPS));
}

/** What is moved back, not copied. */
function bodyOf(reply: Reply): ArrayBuffer[] {
  if (reply.state !== 'result' || reply.body === undefined) return [];
  const { buffer } = reply.body;
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}

/** The entry point of an extraction thread: runs one job at a time and answers each. */
async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  // Not before the priority is lowered: it takes 200 ms of CPU.
  const { createJobHandlers } = await import('./jobs.ts');
  const handlers = createJobHandlers();

  const run = (job: Job): ReturnType<(typeof handlers)[Job['kind']]> => {
    switch (job.kind) {
      case 'extract': {
        return handlers.extract(job);
      }
      case 'check': {
        return handlers.check(job);
      }
      case 'suggest': {
        return handlers.suggest(job);
      }
      case 'outline': {
        return handlers.outline(job);
      }
      case 'repair': {
        return handlers.repair(job);
      }
      case 'site': {
        return handlers.site(job);
      }
    }
  };

  const answer = async ({ id, job }: Request): Promise<void> => {
    let reply: Reply;
    try {
      reply = { id, ...(await run(job)) };
    } catch (error) {
      const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
      reply = { id, state: 'error', name, message, stack };
    }
    port.postMessage(reply, bodyOf(reply));
  };

  let turn = Promise.resolve();
  port.on('message', (request: Request) => {
    turn = turn.then(() => answer(request));
  });
  const ready: Reply = { state: 'ready' };
  port.postMessage(ready);
}

if ((workerData as ThreadSettings | null)?.isBackground === true) giveWay();
if (parentPort !== null) await serve(parentPort);
