import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { Handlers, Job, JobKind, Request } from './jobs.ts';
import type { JobResult, Reply } from './protocol.ts';

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
  const created = createHandlers();
  const handlers: Handlers = created.handlers;

  const run = async <K extends JobKind>({ kind, work }: Job<K>): Promise<JobResult> => handlers[kind](work);

  const answer = async ({ id, job, definitions }: Request): Promise<Reply> => {
    try {
      for (const definition of definitions) await created.define(definition);
      return { state: 'result', id, result: await run(job) };
    } catch (error) {
      const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
      return { state: 'error', id, error: { name, message, stack } };
    }
  };

  const send = (reply: Reply): void => port.postMessage(reply);
  let turn = Promise.resolve();
  port.on('message', (request: Request) => {
    turn = turn.then(async () => send(await answer(request)));
  });
  send({ state: 'ready' });
}

if ((workerData as { isBackground: boolean } | null)?.isBackground === true) giveWay();
if (parentPort !== null) await serve(parentPort);
