import { collectWhenIdle } from '@gleaner/core/collect-when-idle';
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';

/** A second signal within this time is npm's copy of the first. A later one stops the process at once. */
const SAME_SIGNAL_MS = 1500;

export function register(command: Command): void {
  command
    .description('run everything on this machine: database, API, worker, scheduler')
    .option('--still', 'do no work: start database and API only, as to look at a restored copy')
    .addHelpText(
      'after',
      '\nSettings are environment variables, such as PORT; docs/operate/configuration.md lists them.',
    );
  addExamples(command, ['start', 'start --still']).action(runService);
}

async function runService({ still: isStill = false }: { still?: boolean }): Promise<void> {
  const isTerminal = process.stdout.isTTY;
  let stop: (() => Promise<void>) | undefined;
  let stopRequestedAt: number | undefined;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const end = (): void => {
    if (stopRequestedAt !== undefined && Date.now() - stopRequestedAt > SAME_SIGNAL_MS) process.exit(130);
    stopRequestedAt ??= Date.now();
    if (stop) void stop().then(finish, finish);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  // Where this process could not take the place of scripts/run.mjs, that one forwards signals. When it is killed, or
  // npm, which then forwards none, this process must notice and stop.
  process.once('disconnect', end);
  process.channel?.unref();
  if (!process.connected) endWithNpm(end);

  // Loaded here, because the other commands load the database's code, which a supervisor must not hold in memory.
  const { startService } = await import('../start/start.ts');
  const write = (text: string): void => void process.stdout.write(text);
  const service = await startService({ env: process.env, write, isTerminal, isStill });
  stop = service.stop;
  collectWhenIdle();
  if (stopRequestedAt !== undefined) end();
  await finished;
  // A half-open request of the readiness check must not delay the exit.
  process.exit(0);
}

/** Calls back when the npm that started this process has ended. */
function endWithNpm(end: () => void): void {
  const npm = process.ppid;
  if (process.env['npm_lifecycle_event'] === undefined || npm <= 1) return;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    end();
  }, 1000);
  timer.unref();
}
