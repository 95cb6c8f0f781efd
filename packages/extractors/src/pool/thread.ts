import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { Handlers, Job, JobKind, Request } from './jobs.ts';
import type { JobResult, Reply, ThreadSettings } from './protocol.ts';

/** Ten steps give about a tenth of the weight when two threads compete for a core (sched(7)). */
const BACKGROUND_STEPS = 10;

/** Lowers only this thread: on Linux "this process" means the calling thread (setpriority(2), "C library/kernel differences"). */
function giveWay(): void {
  if (process.platform !== 'linux') return;
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + BACKGROUND_STEPS));
}

/** The entry point of an extraction thread: runs one job at a time and answers each. */
async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  // Not before the priority is lowered: it takes 200 ms of CPU.
  const { createHandlers } = await import('./jobs.ts');
  const handlers: Handlers = createHandlers();

  const run = async <K extends JobKind>({ kind, work }: Job<K>): Promise<JobResult> => handlers[kind](work);

  const answer = async ({ id, job }: Request): Promise<void> => {
    try {
      const result = await run(job);
      const { body } = result;
      const reply: Reply = { state: 'result', id, result };
      // The page's bytes are moved back, not copied.
      port.postMessage(reply, body?.buffer instanceof ArrayBuffer ? [body.buffer] : []);
    } catch (error) {
      const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
      const reply: Reply = { state: 'error', id, error: { name, message, stack } };
      port.postMessage(reply);
    }
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
