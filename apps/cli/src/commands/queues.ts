import { PAUSABLE_QUEUES } from '@gleaner/contracts';
import { readPausedQueues, setQueuePause } from '@gleaner/core';
import { Argument, type Command } from 'commander';
import { addExamples } from '../examples.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { withDatabase } from './with-database.ts';

export function register(queues: Command): void {
  addExamples(queues.command('list').description('queues of work, and which are paused'), [
    'queues list',
  ]).action(list);
  for (const [name, description, isPaused] of [
    ['pause', 'start nothing of a queue until it is resumed, also after restarts', true],
    ['resume', 'let a paused queue go on', false],
  ] as const)
    addExamples(queues.command(name).description(description), [`queues ${name} batch-http`])
      .addArgument(new Argument('<queue>', 'its name').choices(PAUSABLE_QUEUES))
      .action(async (queue: string) => {
        const known = PAUSABLE_QUEUES.find((one) => one === queue);
        if (known !== undefined) await withDatabase((db) => setQueuePause(db, known, isPaused));
      });
}

async function list(): Promise<void> {
  const paused = await withDatabase(readPausedQueues);
  print(
    formatTable(PAUSABLE_QUEUES.map((queue) => ({ queue, state: paused.has(queue) ? 'paused' : 'open' }))),
  );
}
