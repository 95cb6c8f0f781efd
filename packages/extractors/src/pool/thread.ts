import { parentPort } from 'node:worker_threads';
import { createJobHandlers } from './jobs.ts';
import type { Job, Reply, Request } from './protocol.ts';

/** The entry of an extraction thread: takes jobs in turn and answers each. */
const serve = (port: NonNullable<typeof parentPort>): void => {
  const handlers = createJobHandlers();

  const run = (job: Job): ReturnType<(typeof handlers)[Job['kind']]> => {
    switch (job.kind) {
      case 'extract': {
        return handlers.extract(job);
      }
      case 'check': {
        return handlers.check(job);
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
    port.postMessage(reply);
  };

  let turn = Promise.resolve();
  port.on('message', (request: Request) => {
    turn = turn.then(() => answer(request));
  });
  const ready: Reply = { state: 'ready' };
  port.postMessage(ready);
};

if (parentPort !== null) serve(parentPort);
